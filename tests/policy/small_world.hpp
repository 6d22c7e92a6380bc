// A small world with late rewards: round t's contexts and rewards are a pure function of (shape, arms, t).
#pragma once

#include <cmath>
#include <deque>

#include "neuralts/archive.hpp"
#include "neuralts/policy.hpp"

namespace neuralts {

struct SmallWorld {
  Shape shape;
  std::size_t arms;

  /// Disjoint when there are several blocks. `numbers` holds what the contexts point at. Some rounds repeat,
  /// some are zero.
  Contexts contexts(std::size_t round, std::vector<double>& numbers) const {
    const bool disjoint = shape.blocks > 1;
    Stream stream(round % 7 == 3 ? 3 : round, Purpose::environment);
    numbers.resize(disjoint ? shape.length : arms * shape.length);
    for (double& value : numbers)
      value = round % 11 == 5 ? 0.0 : stream.normal() / std::sqrt(static_cast<double>(shape.length));
    return disjoint ? Contexts::disjoint(numbers, arms) : Contexts::per_arm(numbers, arms);
  }
  double reward(const Slice& context) const {
    double sum = 0.1 * static_cast<double>(context.block);
    for (const double value : context.values) sum += value;
    return std::tanh(sum);
  }
};

inline const SmallWorld per_arm_world{{.length = 5, .blocks = 1}, 4};
inline const SmallWorld disjoint_world{{.length = 5, .blocks = 3}, 3};

/// Plays rounds of a world; rewards come in pairs, four rounds late. Copies share nothing: a run can be forked.
class Player {
 public:
  explicit Player(const SmallWorld& world, std::uint64_t seed = 1)
      : world_(world), explore_(seed, Purpose::exploration) {}

  Decision play(Policy& policy) {
    std::vector<double> numbers;
    const Contexts contexts = world_.contexts(round_++, numbers);
    Decision decision;
    policy.select(contexts, explore_, scratch_, decision);
    const Slice context = contexts[decision.arm];
    policy.played(contexts, decision.arm);
    pending_.push_back({{context.values.begin(), context.values.end()}, context.block, world_.reward(context)});
    if (round_ % 2 == 0) learn(policy);
    return decision;
  }
  std::vector<Decision> play(Policy& policy, std::size_t rounds) {
    std::vector<Decision> decisions;
    for (std::size_t i = 0; i < rounds; ++i) decisions.push_back(play(policy));
    return decisions;
  }
  /// The same world, round, stream and rewards on their way.
  Player fork() const {
    Player copy(world_);
    copy.explore_ = explore_;
    copy.round_ = round_;
    copy.pending_ = pending_;
    return copy;
  }

 private:
  struct Late {
    std::vector<double> values;
    std::size_t block;
    double reward;
  };
  void learn(Policy& policy) {
    std::vector<Finished> finished;
    for (std::size_t i = 0; i + 4 < pending_.size() && i < 2; ++i)
      finished.push_back({{pending_[i].values, pending_[i].block}, pending_[i].reward});
    policy.learn(finished);
    for (std::size_t i = 0; i < finished.size(); ++i) pending_.pop_front();
  }

  SmallWorld world_;
  Stream explore_;
  Scratch scratch_;
  std::size_t round_ = 0;
  std::deque<Late> pending_;
};

/// All that learning has changed, as bytes.
inline std::vector<char> state_of(const Policy& policy) {
  Writer out;
  policy.save(out);
  return out.bytes();
}

inline bool operator==(const Decision& a, const Decision& b) {
  return a.arm == b.arm && a.probability == b.probability && a.estimated == b.estimated &&
         a.probabilities == b.probabilities && a.mean == b.mean && a.width == b.width && a.score == b.score;
}

}  // namespace neuralts
