// One format's records, line by line.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "log/late_rewards.hpp"
#include "neuralts/log.hpp"

namespace neuralts {

/// A record that is not what its format asks for. The reader adds the place.
struct BadRecord {
  std::string what, hint{};
};

class RecordParser {
 public:
  virtual ~RecordParser() = default;
  enum class Outcome { event, nothing, other };
  /// What a line says: an event is complete in `out`; nothing (yet); or it is no decision. `line` is followed
  /// by padding. Throws BadRecord.
  virtual Outcome parse(std::string_view line, Event& out) = 0;
  /// The log has ended: true when an event is complete in `out` now.
  virtual bool finish(Event&) { return false; }
  /// After a BadRecord: what belongs to it is forgotten.
  virtual void recover() {}
};

/// `head` is filled when its line comes.
std::unique_ptr<RecordParser> own_parser(LogHead& head);
std::unique_ptr<RecordParser> dsjson_parser();
std::unique_ptr<RecordParser> vw_parser();

/// What became of a line that may hold a reward.
enum class Collected {
  nothing,  ///< it is something else
  reward,
  second,   ///< its decision has one already, which stays
};
/// Takes the reward out of `line` if it says "reward_of". `file` and `number` say where it stands. Throws BadRecord for
/// one that is no JSON, or without the id or the number that a reward needs.
Collected collect_reward(std::string_view line, std::uint32_t file, std::size_t number, LateRewards& rewards);

}  // namespace neuralts
