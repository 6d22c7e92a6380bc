// One reading of the log with all policies at once: each is asked, weighed, and only then learns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "evaluate/judged.hpp"
#include "evaluate/reward_model.hpp"
#include "evaluate/source.hpp"
#include "evaluate/target.hpp"
#include "neuralts/evaluate.hpp"

namespace neuralts::evaluation {

struct Seen {
  Judged judged;
  double unsupported = 0;           ///< c u, u the policy's mass on actions that the log never plays
  double unsupported_expected = 0;  ///< c sum of pi(b) q(x,b) over those; 0 without a model
};

/// A policy over the log.
struct Judgement {
  std::string policy;
  std::vector<Seen> events{};
  Diagnostics diagnostics{};
  std::vector<std::string> doubts{};  ///< of the policy itself; those of the diagnostics come on top
  /// The policy changed along the log: there is no one value, only a mean over the events.
  bool learns = false;
  double most = 1;                 ///< the largest weight that any action of any event could have had
  Range predictions;               ///< what a model said that actions earn, and what rewards can be
  Range copies{1, 1};              ///< what events stand for
  bool copies_differ() const { return copies.low < copies.high; }
  std::vector<double> replayed{};  ///< rewards of the events kept by rejection
};

struct Candidate {
  std::string name;
  std::unique_ptr<Target> target;
  /// The same once more, when replay by rejection is wanted: it learns from other events.
  std::unique_ptr<Target> replayed{};
};

struct JudgeSettings {
  Range rewards;
  double k = 0;                  ///< of the confidence sequences' floors
  double heaviest_lesson = 10;   ///< learning policies learn from an event with weight min(w, this)
  std::uint64_t seed = 1;
};

/// In the order of `candidates`. `model` may be null. `times` receives the events' times.
std::vector<Judgement> judge(Decisions& decisions, std::vector<Candidate> candidates, RewardModel* model,
                             const JudgeSettings& settings, std::vector<double>* times = nullptr);

}  // namespace neuralts::evaluation
