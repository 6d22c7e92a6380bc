// The learner of one loop: reads the journal in order, joins, learns, publishes models, writes checkpoints.
//
// What it has learned after a record is a function of the journal up to that record and of the configuration;
// when it reads, publishes or checkpoints changes nothing of it. It has no thread of its own: whoever calls
// step() drives it.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "serve/clock.hpp"
#include "serve/join.hpp"
#include "serve/judge.hpp"
#include "serve/log.hpp"
#include "serve/loop.hpp"
#include "serve/loop_stats.hpp"
#include "serve/reasons.hpp"

namespace neuralts::serve {

class LoopLearner {
 public:
  /// Loads the loop's newest model and checkpoint. Throws JournalError.
  LoopLearner(Loop& loop, Journal& journal, const Clock& clock, const Log& log);

  /// Reads and learns up to `limit` records; publishes and checkpoints when it is time. False: there is nothing
  /// more to read. After `stop` it returns soon and must not be called again.
  bool step(std::size_t limit, const std::stop_token& stop);
  /// An open event's window has closed and no record has said so yet: a tick should be appended.
  bool tick_due(std::int64_t now_us);
  /// Writes a checkpoint and publishes what is new, whatever the time. Not after a stop in the middle of a
  /// training.
  void flush();
  /// Begins again from the journal's newest checkpoint: another process may have learned since this one's.
  void resume() { broken_ = true, reload(); }
  /// What it has learned, as bytes: equal journals give equal ones.
  std::string learned() const;
  Sequence position() const { return position_; }

 private:
  struct Recent {
    Sequence sequence;
    std::int64_t time_us;
    EventRecord event;
    std::optional<double> reward;
    std::optional<std::vector<Reason>> why;
  };
  void configure();
  void reset();
  void reload();
  bool read_and_learn(std::size_t limit, const std::stop_token& stop);
  void restore();
  void restore(const Checkpoint& checkpoint);
  std::string save() const;
  void load_newest_model();
  void take(const Record& record, const std::stop_token& stop);
  void see_event(const Record& record, const std::stop_token& stop);
  void settle(const Joined& joined, const std::stop_token& stop);
  void fix_form(const EventRecord& event);
  PolicySpec spec() const;
  void make_learner();
  bool fit_features();
  void relearn_early(const std::stop_token& stop);
  bool learn(const EventRecord& event, Sequence sequence, double reward, const std::stop_token& stop);
  void publish();
  void checkpoint();
  void show();
  void explain_recent();
  bool held_out(Sequence sequence) const;

  Loop& loop_;
  Journal& journal_;
  const Clock& clock_;
  const Log& log_;
  std::unique_ptr<JournalReader> reader_;

  // The state, all of it in a checkpoint.
  LoopConfig config_;                       // of what is learned
  FeatureSettings features_;
  std::uint64_t last_fit_ = 1;              // events after which the schema of objects is final
  Sequence position_ = 0;
  Published form_;                          // what events look like; its model is not used
  Join join_;
  LoopStats stats_;
  Judge judge_;
  std::optional<ModelLearner> learner_;
  std::uint64_t learned_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t fitted_ = 0;                // events that the schema of the objects was made from
  struct Early {
    Sequence sequence;
    double reward;
  };
  std::vector<Early> early_;                // rounds to learn again while the schema is not final

  std::vector<Record> records_;
  std::deque<Recent> recent_;
  std::vector<double> context_, contexts_;
  Offered offered_;
  bool stopped_ = false;                    // in the middle of a training
  bool broken_ = false;                     // the state is between two records: it must be loaded again
  bool unpublished_ = false, unsaved_ = false;
  bool held_ = false;                       // a person holds a model
  std::uint64_t unreadable_ = 0;            // the newest stored model that is damaged
  std::int64_t next_publish_us_ = 0, next_checkpoint_us_ = 0, next_show_us_ = 0;
};

}  // namespace neuralts::serve
