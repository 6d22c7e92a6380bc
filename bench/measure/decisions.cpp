#include "measure/decisions.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "measure/clock.hpp"
#include "math/propensity.hpp"

namespace neuralts::bench {

namespace {

// Unit contexts; the right arm is the one whose hidden vector fits best.
class World {
 public:
  explicit World(const Shape& shape)
      : arms_(shape.blocks), x_(shape.length), hidden_(shape.dim()), stream_(1, Purpose::environment) {
    for (double& value : hidden_) value = stream_.normal();
  }
  Contexts next() {
    double square = 0;
    for (double& value : x_) {
      value = stream_.normal();
      square += value * value;
    }
    for (double& value : x_) value /= std::sqrt(square);
    return Contexts::disjoint(x_, arms_);
  }
  double reward(std::size_t arm) const {
    std::vector<double> fit(arms_);
    for (std::size_t k = 0; k < arms_; ++k)
      for (std::size_t j = 0; j < x_.size(); ++j) fit[k] += hidden_[k * x_.size() + j] * x_[j];
    return std::max_element(fit.begin(), fit.end()) - fit.begin() == static_cast<std::ptrdiff_t>(arm) ? 1 : 0;
  }

 private:
  std::size_t arms_;
  std::vector<double> x_, hidden_;
  Stream stream_;
};

struct Player {
  explicit Player(const PolicySpec& spec)
      : policy(make_policy(spec)), world(spec.shape), explore(1, Purpose::exploration) {}

  void play(std::size_t rounds) {
    for (std::size_t i = 0; i < rounds; ++i) {
      const Contexts contexts = world.next();
      policy->select(contexts, explore, scratch, decision);
      const Finished finished{contexts[decision.arm], world.reward(decision.arm)};
      policy->played(finished.context);
      policy->learn({&finished, 1});
    }
  }

  std::unique_ptr<Policy> policy;
  World world;
  Stream explore;
  Scratch scratch;
  Decision decision;
};

}  // namespace

double run_seconds(const PolicySpec& spec, std::size_t rounds) {
  const double start = cpu_seconds();
  Player(spec).play(rounds);
  return cpu_seconds() - start;
}

double select_seconds(const PolicySpec& spec, std::size_t rounds, double budget) {
  constexpr int together = 20;  // so that reading the clock does not count
  Player player(spec);
  player.play(rounds);
  const Contexts contexts = player.world.next();
  return fastest(budget, [&] {
           for (int i = 0; i < together; ++i) player.policy->select(contexts, player.explore, player.scratch, player.decision);
         }) / together;
}

double propensity_seconds(std::size_t arms, double budget) {
  constexpr int together = 100;
  Stream stream(1, Purpose::theory);
  std::vector<double> mean(arms), sigma(arms), probability(arms);
  for (std::size_t k = 0; k < arms; ++k) {
    mean[k] = stream.normal();
    sigma[k] = 0.2 + stream.uniform();
  }
  Scratch scratch;
  return fastest(budget, [&] {
           for (int i = 0; i < together; ++i) {
             scratch.reset();
             math::thompson_propensity(mean, sigma, scratch, probability);
           }
         }) / together;
}

}  // namespace neuralts::bench
