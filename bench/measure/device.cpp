#include "measure/device.hpp"

#include <chrono>
#include <cmath>
#include <memory>

#include "model/cuda/engine.hpp"
#include "model/cuda/limit.hpp"
#include "neuralts/lab.hpp"
#include "neuralts/random.hpp"

namespace neuralts::bench {

namespace {

constexpr std::size_t units = 100, runs = 264;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

History<float> random_history(const Shape& shape, std::size_t n, std::uint64_t seed) {
  History<float> history(shape);
  Stream stream(seed, Purpose::theory);
  std::vector<float> x(shape.length);
  for (std::size_t i = 0; i < n; ++i) {
    for (float& value : x) value = static_cast<float>(stream.normal() / std::sqrt(static_cast<double>(shape.length)));
    history.append(stream.below(shape.blocks), std::span<const float>(x), static_cast<float>(i % 2));
  }
  return history;
}

/// A run's network, as the released dialect trains it.
struct Member {
  NetworkShape shape;
  TrainerSettings settings;
  History<float> history;
  Network<float> network;
  FitState<float> state;

  Member(const Shape& input, std::size_t n, std::size_t steps, std::uint64_t seed)
      : shape{.input = input, .units = units, .depth = 2, .biases = true, .scale = 1},
        settings{.step = 1e-4, .iterations = steps, .mean_loss = true, .decay = 1e-3, .decay_over_n = true, .anchor = Anchor::zero},
        history(random_history(input, n, seed)), network(shape, Initialisation::uniform, seed), state(settings, network, seed) {}
  TrainJob job() { return {FitJob<float>{.network = &network, .history = &history, .settings = &settings, .state = &state}}; }
};

/// TFLOP/s of a training of all runs together, counting layer 1's two products (4 n d m a step); everything else is in the time, too:
/// parameters to the device and back, and the host's part.
double training_rate(TrainEngine& engine, const Shape& shape, std::size_t n, std::size_t steps, int repetitions) {
  std::vector<std::unique_ptr<Member>> members;
  std::vector<TrainJob> jobs;
  for (std::size_t i = 0; i < runs; ++i) {
    members.push_back(std::make_unique<Member>(shape, n, steps, i + 1));
    jobs.push_back(members.back()->job());
  }
  engine.train(jobs, {.threads = 0});  // histories travel once
  double best = 0;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    engine.train(jobs, {.threads = 0});
    const double seconds = seconds_since(start);
    best = best == 0 ? seconds : std::min(best, seconds);
  }
  return 4.0 * static_cast<double>(n * shape.length * units * steps * runs) / best / 1e12;
}

/// Rounds a second of all runs together in lock-step, each training after every round.
double lock_step_rate(std::size_t rounds) {
  Grid grid{.envs = {"quadratic"}, .policies = {"neural-ts"}, .presets = {"released"}};
  grid.seeds.clear();
  for (std::uint64_t seed = 1; seed <= runs; ++seed) grid.seeds.push_back(seed);
  grid.rounds = rounds;
  grid.device = "cuda";
  SweepOptions options;
  options.devices = {0};
  const auto start = std::chrono::steady_clock::now();
  run_experiment({{grid}}, options);
  return static_cast<double>(runs * rounds) / seconds_since(start);
}

}  // namespace

std::vector<Measurement> measure_device(bool quick) {
  const auto engine = make_cuda_engine();
  const double limit = cublas_rate();
  const auto rate = [&](const char* name, double value) { return Measurement{name, value, "TFLOP/s", limit, limit > 0 ? value / limit : 0}; };
  const int repetitions = quick ? 2 : 5;
  const std::size_t n = quick ? 2000 : 8000;
  std::vector<Measurement> all{rate("cuda_product", limit)};
  all.push_back(rate("cuda_train_d10", training_rate(*engine, {10, 2}, n, 100, repetitions)));
  all.push_back(rate("cuda_train_d22", training_rate(*engine, {22, 2}, n, 100, repetitions)));
  all.push_back(rate("cuda_train_d54", training_rate(*engine, {54, 7}, n, 100, repetitions)));
  all.push_back(rate("cuda_train_d784", training_rate(*engine, {784, 10}, 1000, quick ? 10 : 100, 2)));
  const std::size_t rounds = quick ? 200 : 1000;
  const double speed = lock_step_rate(rounds);
  all.push_back({"cuda_lock_step", speed, "rounds/s", 0, 0});
  return all;
}

}  // namespace neuralts::bench
