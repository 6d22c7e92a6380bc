// One format's records, line by line.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "neuralts/log.hpp"

namespace neuralts {

/// A record that is not what its format asks for. The reader adds the place.
struct BadRecord {
  std::string what, hint{};
};

/// Rewards that stand in lines of their own, by the decision's id.
struct LateReward {
  double reward = 0, time = 0;
  bool used = false;
};
using LateRewards = std::unordered_map<std::string, LateReward>;

class RecordParser {
 public:
  virtual ~RecordParser() = default;
  enum class Outcome { event, nothing, other };
  /// What a line says: an event is complete in `out`; nothing (yet); or it is no decision. `line` is followed by padding.
  /// Throws BadRecord.
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

/// Takes the reward out of `line` if it is a line of rewards; false: it is something else, or damaged. Counts a second reward.
bool collect_reward(std::string_view line, LateRewards& rewards, std::size_t& duplicates);

}  // namespace neuralts
