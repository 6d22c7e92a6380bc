#include "measure/many_arms.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "measure/clock.hpp"
#include "neuralts/policy.hpp"

namespace neuralts::bench {

namespace {

constexpr std::size_t d = 20;

void draw(Stream& stream, std::span<double> numbers) {
  for (double& value : numbers) value = stream.normal();
}

double reward(std::span<const double> x, Stream& stream) {
  return std::cos(x[0]) + 0.5 * x[1] - 0.3 * x[2] * x[3] + 0.1 * stream.normal();
}

// In batches: a selection is measured, not the way there.
void teach(Policy& policy, std::size_t rounds) {
  constexpr std::size_t batch = 100;
  Stream stream(1, Purpose::environment);
  std::vector<double> x(batch * d);
  for (std::size_t done = 0; done < rounds; done += batch) {
    draw(stream, x);
    std::vector<Finished> finished;
    for (std::size_t i = 0; i < batch; ++i) {
      const auto context = std::span<const double>(x).subspan(i * d, d);
      finished.push_back({{context}, reward(context, stream)});
    }
    policy.learn(finished);
  }
}

}  // namespace

double many_arms_seconds(const char* name, const Params& params, std::size_t arms, std::size_t rounds,
                         double budget) {
  const auto policy = make_policy({.name = name, .params = params, .shape = {.length = d}});
  teach(*policy, rounds);
  Stream stream(2, Purpose::environment), explore(1, Purpose::exploration);
  std::vector<double> x(arms * d);
  draw(stream, x);
  Scratch scratch;
  Decision decision;
  const std::size_t together = std::max<std::size_t>(1, 1000 / arms);
  return fastest(budget,
                 [&] {
                   for (std::size_t i = 0; i < together; ++i)
                     policy->select(Contexts::per_arm(x, arms), explore, scratch, decision);
                 }) /
         static_cast<double>(together);
}

}  // namespace neuralts::bench
