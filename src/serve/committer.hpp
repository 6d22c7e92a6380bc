// Group commit: what the threads hand in is written in batches, and each is told when its part is durable.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "serve/clock.hpp"
#include "serve/journal/journal.hpp"
#include "serve/record_time.hpp"

namespace neuralts::serve {

/// What is handed in: entries, and who wants to know what became of them.
class Submission {
 public:
  virtual ~Submission() = default;
  /// The entries say what became of them, unless an error kept all of them out of the journal. Called once, by
  /// who owned it until then and gives it away as `self`: who sends the answer may end it, and give back memory to
  /// where it was taken.
  virtual void done(std::unique_ptr<Submission> self, const JournalError* error) = 0;
  std::vector<Entry> entries;
};

class Committer {
 public:
  /// Told of every batch that was written.
  using Observer = std::function<void(std::size_t entries, std::int64_t took_us)>;

  Committer(Journal& journal, const Clock& clock, std::size_t pending_max, std::size_t batch_max)
      : journal_(journal), clock_(clock), time_(clock), pending_max_(pending_max), batch_max_(batch_max) {}

  /// Any thread. False: too much is waiting, and nothing was taken. Whoever calls step() tells it when it is done.
  bool submit(std::unique_ptr<Submission>& submission);
  /// Writes what waits, one batch. False: nothing did. One thread.
  bool step();
  /// How many entries the last batch had. The thread that calls step().
  std::size_t last_batch() const { return entries_.size(); }
  /// Returns when something waits, or after `timeout_us`, or when wake() was called.
  void wait(std::int64_t timeout_us);
  void wake();

  /// That a record written now would have. Any thread.
  std::int64_t record_time_us() { return time_.now_us(); }
  std::size_t pending() const { return pending_.load(std::memory_order_relaxed); }
  void observe(Observer observer) { observer_ = std::move(observer); }
  /// Called after every batch's answers: whoever collects them sends them now.
  void after_batch(std::function<void()> hook) { after_batch_ = std::move(hook); }

 private:
  void take_all();
  void take_batch();

  Journal& journal_;
  const Clock& clock_;
  RecordTime time_;
  const std::size_t pending_max_, batch_max_;
  std::mutex mutex_;
  std::condition_variable waiting_;
  std::vector<std::unique_ptr<Submission>> queue_;
  bool woken_ = false, asleep_ = false;
  std::atomic<std::size_t> pending_{0};   // entries submitted and not yet answered
  // Of the thread that calls step():
  std::vector<std::unique_ptr<Submission>> taken_, batch_;  // batch_ is of taken_
  std::size_t next_ = 0;                  // of taken_, that no batch has had
  std::vector<Entry> entries_;
  Observer observer_;
  std::function<void()> after_batch_;
};

}  // namespace neuralts::serve
