// The journal: the durable, ordered record of events, rewards and activations, and the only truth of the service.
//
//   journal->append(batch);                       // one thread; returns when the batch is on disk, or throws and stored nothing
//   auto reader = journal->reader();              // any number, one per thread
//   reader->read(after, 1000, loop, out);         // in order, whole records only
//
// Everything else the service must find again after a crash (configurations, models, checkpoints) lies in small
// tables beside it, behind the same interface, so that one engine answers for all durability.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "neuralts/error.hpp"

namespace neuralts::serve {

/// The place of a record in the journal of one writer: 1, 2, 3, ... without a gap among what was stored.
using Sequence = std::uint64_t;

/// As the engines have it, whose whole numbers have a sign.
inline std::int64_t bigint(std::uint64_t value) { return static_cast<std::int64_t>(value); }

/// A parcel is what a node hands on unopened: about an event that is not its own.
enum class Kind : std::uint8_t { event = 1, reward = 2, activation = 3, tick = 4, parcel = 5 };

/// What became of an entry.
enum class Outcome : std::uint8_t {
  stored,     // it is in the journal now
  duplicate,  // the same name or key was stored before: nothing was written, `sequence` is the first one's
  unknown,    // a reward or activation of an event that is not there: nothing was written
  ambiguous,  // the name belongs to events of several loops and no loop was given: nothing was written
  forwarded,  // it is stored; whether its event is there is found out where the records of all nodes meet
};

/// What to append, and what came of it.
struct Entry {
  Kind kind = Kind::event;
  std::uint32_t loop = 0;    ///< of an event or tick; of a reward: 0 when the caller did not say
  std::string name;          ///< the caller's id of the event, unique per loop; empty: it has none
  std::string alias;         ///< of an event: a second name
  Sequence target = 0;       ///< reward, activation: the event's sequence; 0: found by `name`
  std::uint16_t writer = 0;  ///< of a target: whose sequence it is; 0: the journal's own
  std::string key;           ///< reward, activation: applied once per event and key
  std::string payload;       ///< not interpreted

  // Set by append().
  Outcome outcome = Outcome::stored;
  Sequence sequence = 0;
  std::int64_t time_us = 0;
  std::uint32_t event_loop = 0;     ///< reward, activation: of the event
  std::int64_t event_time_us = 0;   ///< reward, activation: of the event
  std::string first_payload;        ///< of a duplicate event: what was stored the first time
};

/// A record as it is read back.
struct Record {
  Sequence sequence = 0;
  Kind kind = Kind::event;
  std::uint32_t loop = 0;
  std::int64_t time_us = 0;
  Sequence target = 0;
  std::string payload = {};
};

/// Nothing of the batch was stored, and nothing was acknowledged. (A shared engine that went away during the
/// commit itself, and stays away, may have stored the batch.)
class JournalError : public Error {
 public:
  enum class Why { full, failed };
  JournalError(Why why, const std::string& where, const std::string& what, const std::string& hint)
      : Error(ErrorCode::io, where, what, hint), why_(why) {}
  Why why() const { return why_; }

 private:
  Why why_;
};

/// Reads in order. One thread; sees what append() has made durable, and nothing of a batch that failed.
class JournalReader {
 public:
  virtual ~JournalReader() = default;
  /// Up to `limit` records of `loop` (ticks of loop 0 belong to every loop) with a sequence above `after`, in
  /// order, appended to `out`. Returns the sequence up to which everything has been looked at: pass it as the
  /// next `after`.
  virtual Sequence read(Sequence after, std::size_t limit, std::uint32_t loop, std::vector<Record>& out) = 0;
  /// Events of `loop` alone.
  virtual Sequence read_events(Sequence after, std::size_t limit, std::uint32_t loop, std::vector<Record>& out) = 0;
  virtual std::optional<Record> find(Sequence sequence) = 0;
};

struct Checkpoint {
  Sequence position = 0;
  std::string bytes;
};

struct StoredModel {
  std::uint64_t version = 0;
  Sequence position = 0;      ///< the last record the model has seen
  std::int64_t time_us = 0;
  std::string sha256;
  std::string note;           ///< a JSON object with figures about it
  std::string bytes;          ///< empty in listings
};

struct JournalInfo {
  Sequence first = 0, last = 0;
  std::size_t segments = 0;
  std::uint64_t bytes = 0;
  bool failed = false;        ///< the last append met a failing disk: not ready until one succeeds
};

class Journal {
 public:
  virtual ~Journal() = default;

  /// Stores the batch, all or nothing, and fills in what became of each entry. Returns when it is durable. The
  /// times of records never go back: an entry's time is `now_us` or that of the record before it, whichever is
  /// later. One thread at a time.
  virtual void append(std::span<Entry> batch, std::int64_t now_us) = 0;
  /// Work that can wait until whoever waited for the last append has been told. The thread that appends. Throws
  /// nothing.
  virtual void tidy() {}
  virtual std::unique_ptr<JournalReader> reader() = 0;
  virtual JournalInfo info() = 0;
  /// Forgets whole segments whose last record is older. Returns how many. The thread that appends.
  virtual std::size_t drop_before(std::int64_t time_us) = 0;

  // Any thread.
  virtual void put_checkpoint(std::uint32_t loop, const Checkpoint& checkpoint) = 0;
  virtual std::optional<Checkpoint> get_checkpoint(std::uint32_t loop) = 0;
  virtual void drop_checkpoint(std::uint32_t loop) = 0;
  /// REQUIRES version = that of the newest + 1: two who publish at once cannot both succeed. Keeps the newest
  /// `keep`.
  virtual void put_model(std::uint32_t loop, const StoredModel& model, std::size_t keep) = 0;
  virtual std::vector<StoredModel> models(std::uint32_t loop) = 0;   ///< newest first, without bytes
  /// The same as it was last seen, without a wait for a shared engine that is away: for numbers, not for what
  /// comes next.
  virtual std::vector<StoredModel> models_seen(std::uint32_t loop) { return models(loop); }
  virtual std::optional<StoredModel> model(std::uint32_t loop, std::uint64_t version) = 0;
  virtual void put_setting(const std::string& key, const std::string& value) = 0;
  virtual std::optional<std::string> get_setting(const std::string& key) = 0;
  /// All settings whose key starts with `prefix`, by key.
  virtual std::vector<std::pair<std::string, std::string>> settings(const std::string& prefix) = 0;
  virtual void drop_setting(const std::string& key) = 0;
  /// True when `owner` holds `name` from now until `until_us`: it was free, its time was over, or it was the
  /// owner's already.
  virtual bool lease(const std::string& name, const std::string& owner, std::int64_t now_us,
                     std::int64_t until_us) = 0;
  /// Held by one at a time among all processes that share the journal; the others wait. Ends when it is let go.
  virtual std::shared_ptr<void> turn() { return nullptr; }
};

}  // namespace neuralts::serve
