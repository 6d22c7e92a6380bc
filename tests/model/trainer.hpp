// A network's trainings one after the other: settings and state held together.
#pragma once

#include <gtest/gtest.h>

#include "model/fit.hpp"
#include "neuralts/belief.hpp"

namespace neuralts {

template <class T>
class Trainer {
 public:
  Trainer(const TrainerSettings& settings, const Network<T>& initial, std::uint64_t seed)
      : settings_(settings), state_(settings, initial, seed) {}

  std::size_t train(Network<T>& network, const History<T>& history, const RoundWeights<T>& weights = {},
                    const Training& how = {}) {
    FitJob<T> job{.network = &network,
                  .history = &history,
                  .weights = &weights,
                  .settings = &settings_,
                  .state = &state_};
    ended_ = fit(job, how);
    return job.steps_taken;
  }
  Fitted ended() const { return ended_; }
  std::size_t diverged() const { return state_.diverged; }

 private:
  TrainerSettings settings_;
  FitState<T> state_;
  Fitted ended_ = Fitted::done;
};

/// Observes, and trains when that is due, as a learner does. A training that fails fails the test.
inline void learn(Belief& belief, std::span<const Finished> rounds, TrainEngine& engine = processor_engine()) {
  belief.observe(rounds);
  if (!belief.training_due()) return;
  std::vector<TrainJob> jobs;
  belief.prepare_training(jobs);
  ASSERT_TRUE(engine.train(jobs, {}));
  belief.finish_training();
}
inline void learn(Belief& belief, const Finished& round) { learn(belief, std::span(&round, 1)); }

}  // namespace neuralts
