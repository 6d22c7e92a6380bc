#include "measure/learning.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <stop_token>
#include <thread>
#include <vector>

#include "measure/clock.hpp"
#include "model/fit.hpp"
#include "neuralts/policy.hpp"

namespace neuralts::bench {

namespace {

constexpr std::size_t d = 20, arms = 10;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::vector<double> normals(std::size_t count, std::uint64_t seed) {
  Stream stream(seed, Purpose::environment);
  std::vector<double> numbers(count);
  for (double& value : numbers) value = stream.normal();
  return numbers;
}

// A learner that has taken in `rounds` rounds and trained once, for a step.
std::unique_ptr<Learner> learned(std::size_t rounds, const char* steps) {
  auto learner = make_learner({.name = "neural-ts",
                               .params = {{"posterior", "diagonal"}, {"iterations", steps}},
                               .shape = {.length = d}});
  const auto numbers = normals(rounds * d, 1);
  std::vector<Finished> finished;
  for (std::size_t i = 0; i < rounds; ++i)
    finished.push_back({{std::span(numbers).subspan(i * d, d)}, numbers[i * d]});
  learner->observe(finished);
  return learner;
}

double select_p99(const Model& model, double seconds) {
  const auto numbers = normals(arms * d, 2);
  const Contexts contexts = Contexts::per_arm(numbers, arms);
  Stream explore(1, Purpose::exploration);
  Scratch scratch;
  Decision decision;
  std::vector<double> times;
  for (const auto start = Clock::now(); since(start) < seconds;) {
    const auto before = Clock::now();
    model.select(contexts, explore, scratch, decision);
    times.push_back(since(before));
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() * 99 / 100),
                   times.end());
  return times[times.size() * 99 / 100];
}

/// p99 of a decision while `neighbour` runs on another thread, until it is asked to stop, over the same alone.
double p99_ratio(const Model& model, double seconds, const std::function<void(std::stop_token)>& neighbour) {
  const double alone = select_p99(model, seconds);
  std::jthread works(neighbour);
  const double beside = select_p99(model, seconds);
  works.request_stop();
  return beside / alone;
}

double training_wall_seconds(std::size_t rounds, std::size_t steps, std::size_t threads) {
  History<float> history({d, 1});
  const auto numbers = normals(rounds * d, 3);
  const std::vector<float> x(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < rounds; ++i) history.append(0, std::span(x).subspan(i * d, d), x[i * d]);
  Network<float> network({.input = {d, 1}}, Initialisation::uniform, 1);
  const TrainerSettings settings{.step = 1e-4, .iterations = steps, .mean_loss = true};
  FitState<float> state(settings, network, 1);
  FitJob<float> job{.network = &network, .history = &history, .settings = &settings, .state = &state};
  double best = 1e9;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto start = Clock::now();
    fit(job, {.threads = threads});
    best = std::min(best, since(start));
  }
  return best;
}

}  // namespace

double publish_seconds(std::size_t rounds, double budget) {
  const auto learner = learned(rounds, "1");
  learner->train();
  return fastest(budget, [&] { learner->publish(); });
}

double select_p99_ratio(std::size_t rounds, double seconds) {
  const auto learner = learned(rounds, "100000");
  return p99_ratio(*learner->publish(), seconds, [&](std::stop_token stop) { learner->train({.stop = stop}); });
}

double busy_core_p99_ratio(double seconds) {
  return p99_ratio(*learned(1000, "1")->publish(), seconds, [](std::stop_token stop) {
    double registers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    while (!stop.stop_requested())
      for (int i = 0; i < 1000; ++i)
        for (double& x : registers) x = x * 0.999999 + 1e-6;
    volatile double kept = registers[0];
    static_cast<void>(kept);
  });
}

double two_threads(std::size_t rounds, std::size_t steps) {
  return training_wall_seconds(rounds, steps, 1) / training_wall_seconds(rounds, steps, 2);
}

}  // namespace neuralts::bench
