// Learning: a learner owns the history and the training, and publishes models.
//
//   auto learner = make_learner({.name = "neural-ts", .shape = {.length = 20}, .seed = 1});
//   learner->observe(rounds);                            // bookkeeping, cheap
//   if (learner->training_due()) learner->train();       // here, or on a thread that has time
//   auto model = learner->publish();                     // decides from now on, whatever the learner does
//
// One thread at a time, any thread. What is learned depends on the order of the verbs alone, not on the thread,
// the number of threads given to train() or the moments at which models were published.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "neuralts/model.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

class Reader;
class TrainEngine;
struct TrainJob;

/// A round whose reward is known.
struct Finished {
  Slice context;      ///< of the arm that was played
  double reward = 0;  ///< any finite number
  double weight = 1;  ///< how often it counts: an importance, a sampling rate's inverse; finite, >= 0
};

/// Where and how a training takes place.
struct Training {
  std::size_t threads = 1;        ///< 0: as many as the machine has; the result is the same bits
  std::stop_token stop = {};      ///< ends a training early, as if it had not begun
  TrainEngine* engine = nullptr;  ///< nullptr: this processor
};

class Learner {
 public:
  virtual ~Learner() = default;
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  /// Tells between which contexts a decision was. Optional: policies whose arms share weights learn from it what all
  /// contexts of a decision have in common, and so whom to believe about what they do not. The first is checked.
  void offered(const Contexts& contexts);

  /// Tells that `context` was played; its reward may follow, or never. Needed once per round by policies whose
  /// width counts plays (`design=played`), harmless for others.
  void played(const Slice& context);

  /// Takes in finished rounds, without training. All are checked before the first changes anything.
  void observe(std::span<const Finished> rounds);

  /// Whether the policy's schedule asks for a training before the next decision. Rounds observed while one is
  /// due wait for it.
  bool training_due() const { return do_training_due(); }

  /// Trains while a training is due. False: stopped in the middle of one; that one has not taken place and is
  /// still due. Where it throws, for want of memory, one is still due as well, and the rounds are kept.
  bool train(const Training& how = {});

  /// A training in three parts, for whoever trains many learners at once: the jobs are added to `jobs` and must
  /// be run by an engine, all of them, before finish_training(); an engine that was stopped has left
  /// them as they were: then finish_training() is not called, and the training is still due. REQUIRES
  /// training_due().
  void prepare_training(std::vector<TrainJob>& jobs) { do_prepare(jobs); }
  void finish_training() { do_finish(); }

  /// What is known now, as a model that stays as it is.
  std::shared_ptr<const Model> publish() const { return do_publish(); }
  /// What is known now, as a model that changes with the verbs above: decides as publish() would, to the last
  /// bit, without a copy.
  const Model& current() const { return do_current(); }
  /// The model whose Model::save() wrote `in`. REQUIRES the same spec.
  std::shared_ptr<const Model> read_model(Reader& in) const { return do_read_model(in); }

  const PolicySpec& spec() const { return head_->spec; }
  /// Every parameter with the value in force (preset and defaults resolved).
  const Params& resolved() const { return head_->resolved; }
  /// Remarks a user should read once (a fallback taken, a setting that had to be bent). Grows; never shrinks.
  virtual std::vector<std::string> notes() const { return {}; }
  /// Bytes held for what was learned.
  virtual std::size_t memory() const = 0;

  /// Everything the verbs have changed. `restore` REQUIRES a learner made from the same spec.
  virtual void save(Writer& out) const = 0;
  virtual void restore(Reader& in) = 0;

 protected:
  /// `resolved` may hold `floor`, the least probability of every arm offered: models see to it.
  Learner(PolicySpec spec, Params resolved);
  const std::shared_ptr<const ModelHead>& head() const { return head_; }

  // The checked halves of the verbs.
  virtual void do_offered(const Contexts&) {}
  virtual void do_played(const Slice&) {}
  virtual void do_observe(std::span<const Finished> rounds) = 0;
  virtual bool do_training_due() const { return false; }
  virtual void do_prepare(std::vector<TrainJob>&) {}
  virtual void do_finish() {}
  virtual const Model& do_current() const = 0;
  virtual std::shared_ptr<const Model> do_publish() const = 0;
  virtual std::shared_ptr<const Model> do_read_model(Reader& in) const = 0;

 private:
  std::shared_ptr<const ModelHead> head_;
};

/// Makes a learner. Throws Error(bad_spec) for an unknown name, preset or key (the nearest known one is named)
/// or a value out of range.
std::unique_ptr<Learner> make_learner(const PolicySpec& spec);

}  // namespace neuralts
#pragma GCC visibility pop
