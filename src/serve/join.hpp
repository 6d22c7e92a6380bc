// Rewards find their events: a state machine over the journal's records, and nothing but them.
//
// Time is that of the records: an event's window closes when a record that is young enough has been read, so
// the same journal always joins alike, however fast or late it is read.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "neuralts/archive.hpp"
#include "serve/journal/journal.hpp"
#include "serve/loop_config.hpp"
#include "serve/record.hpp"

namespace neuralts::serve {

/// Sequences of which the small ones are forgotten: a bit for each between the first and the last.
class SequenceSet {
 public:
  void insert(Sequence sequence);
  bool contains(Sequence sequence) const;
  void forget_below(Sequence sequence);
  void save(Writer& out) const;
  /// `last`: no sequence is above it.
  void restore(Reader& in, Sequence last);

 private:
  std::uint64_t first_word_ = 0;
  std::deque<std::uint64_t> words_;
};

/// An event whose reward is final.
struct Joined {
  Sequence sequence = 0;
  std::int64_t time_us = 0;
  const EventRecord* event = nullptr;
  double reward = 0;
  bool by_default = false;             ///< no reward came
  std::int64_t delay_us = 0;           ///< from the event to the reward
};

struct JoinCounts {
  std::uint64_t late = 0;              ///< rewards after the window
  std::uint64_t surplus = 0;           ///< rewards of an event that was learned already
  std::uint64_t not_activated = 0;     ///< deferred events whose window closed without an activation
};

class Join {
 public:
  using ConfigOf = std::function<const LoopConfig&(std::uint32_t revision)>;
  using Settle = std::function<void(const Joined&)>;

  Join(std::uint32_t loop, ConfigOf config_of) : loop_(loop), config_of_(std::move(config_of)) {}

  /// REQUIRES records of one loop in the order of the journal. `reader` finds the events again; `settle` is
  /// called for each event at most once, ever.
  void take(const Record& record, JournalReader& reader, const Settle& settle);
  /// When the window of the oldest open event closes; nothing: none is open among the events up to `head`.
  std::optional<std::int64_t> next_close_us(Sequence head, JournalReader& reader);

  /// Events up to here are closed.
  Sequence closed() const { return closed_; }
  /// It is closed, or its reward is final.
  bool settled(Sequence sequence) const { return sequence <= closed_ || settled_.contains(sequence); }
  const JoinCounts& counts() const { return counts_; }
  /// Rewards that wait for their window to close or their event to be activated.
  std::size_t waiting() const { return waiting_.size(); }
  void save(Writer& out) const;
  /// `last`: of the records that were taken.
  void restore(Reader& in, Sequence last);

 private:
  struct Waiting {
    bool activated = false;
    std::vector<double> rewards;
    std::int64_t first_us = 0;
  };
  void close_until(std::int64_t now_us, JournalReader& reader, const Settle& settle);
  void close(const Record& event, const Settle& settle);
  void take_later(const Record& record, JournalReader& reader, const Settle& settle);
  bool refill(JournalReader& reader);

  std::uint32_t loop_;
  ConfigOf config_of_;
  Sequence closed_ = 0;                 // events up to here are closed
  struct Open {
    Record event;
    std::int64_t close_us;
  };
  std::deque<Open> open_;               // the next ones; read again after a restart
  SequenceSet settled_;
  std::map<Sequence, Waiting> waiting_;
  JoinCounts counts_;
};

double aggregate(Aggregation how, std::vector<double> rewards);

}  // namespace neuralts::serve
