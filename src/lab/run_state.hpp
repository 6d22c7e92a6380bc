// A run that can be stopped wherever a training is due, so that many can hand their trainings to one engine
// together.
#pragma once

#include <memory>
#include <vector>

#include "lab/delay.hpp"
#include "neuralts/run.hpp"

namespace neuralts {

struct TrainJob;

class RunState {
 public:
  /// `env` and `hooks` must outlive it.
  RunState(const Environment& env, const RunSpec& spec, const RunHooks& hooks);

  /// Plays until a training is due, the run is over, or `rounds_max` rounds have been played.
  void play(std::size_t rounds_max);
  bool over() const { return over_; }
  bool training_due() const { return learner_ != nullptr && learner_->training_due(); }

  /// The training that is due, here and now. REQUIRES training_due(), as do the next two.
  void train();
  /// The same by another hand: its jobs go to an engine, all of them; then finish_training(). `seconds`: what
  /// it took of that engine.
  void prepare_training(std::vector<TrainJob>& jobs);
  void finish_training(double seconds);

  /// What came out. To be called once, when it is over.
  RunResult result();

 private:
  void play_round();
  void select();
  double count(double reward);
  void learn(double reward);
  void checkpoint();

  const RunHooks& hooks_;
  const EnvironmentInfo& world_;
  RunResult result_;
  std::size_t step_;
  std::unique_ptr<Contestant> policy_;
  Learner* learner_ = nullptr;  // the contestant's, where it has one
  std::unique_ptr<Episode> episode_;
  Stream explore_;
  Scratch scratch_;
  Decision decision_;
  DelayQueue queue_;
  bool over_ = false;
};

}  // namespace neuralts
