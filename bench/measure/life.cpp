#include "measure/life.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "measure/clock.hpp"
#include "neuralts/policy.hpp"

namespace neuralts::bench {

namespace {

constexpr std::size_t d = 20, arms = 10, parts = 10;

class Life {
 public:
  Life(const char* preset, std::size_t memory)
      : policy_(make_policy({.name = "neural-ts",
                             .preset = preset,
                             .params = {{"memory", std::to_string(memory)}},
                             .shape = {.length = d}})),
        x_(arms * d) {}

  /// `offset`: where the columns lie.
  void live(bool decides, double offset = 0) {
    for (double& value : std::span(x_).first(decides ? x_.size() : d)) value = offset + stream_.normal();
    std::size_t arm = 0;
    if (decides) {
      policy_->select(Contexts::per_arm(x_, arms), explore_, scratch_, decision_);
      arm = decision_.arm;
    }
    const auto x = std::span<const double>(x_).subspan(arm * d, d);
    const Finished round{{x}, std::cos(x[0]) + 0.5 * x[1] - 0.3 * x[2] * x[3] + 0.1 * stream_.normal()};
    policy_->learn({&round, 1});
  }
  double mib() const { return static_cast<double>(policy_->memory()) / (1 << 20); }

 private:
  std::unique_ptr<Policy> policy_;
  std::vector<double> x_;
  Stream stream_{1, Purpose::environment}, explore_{1, Purpose::exploration};
  Scratch scratch_;
  Decision decision_;
};

}  // namespace

std::vector<LifePart> life(const char* preset, std::size_t memory, std::size_t rounds) {
  Life one(preset, memory);
  std::vector<LifePart> all;
  for (std::size_t part = 0; part < parts; ++part) {
    const double start = cpu_seconds();
    for (std::size_t i = 0; i < rounds / parts; ++i) one.live(true);
    all.push_back({1e6 * (cpu_seconds() - start) / static_cast<double>(rounds / parts), one.mib()});
  }
  return all;
}

double learned_rounds_a_second(const char* preset, std::size_t before, double budget) {
  constexpr int together = 1000;
  Life one(preset, 64);
  for (std::size_t i = 0; i < before; ++i) one.live(false);
  return together / fastest(budget, [&] {
           for (int i = 0; i < together; ++i) one.live(false);
         });
}

// Lived three times alike: what only one of them stood still for was the machine's doing.
double longest_learn_seconds(const char* preset, std::size_t memory, std::size_t rounds) {
  std::vector<double> seconds(rounds, std::numeric_limits<double>::infinity());
  for (int life = 0; life < 3; ++life) {
    Life one(preset, memory);
    for (std::size_t i = 0; i < rounds; ++i) {
      const double start = cpu_seconds();
      one.live(false, 2 * static_cast<double>(i) / static_cast<double>(rounds));
      seconds[i] = std::min(seconds[i], cpu_seconds() - start);
    }
  }
  return *std::max_element(seconds.begin(), seconds.end());
}

}  // namespace neuralts::bench
