// Logged decisions in memory, whatever wrote them: contexts as sparse rows, the arm that was played, what it
// earned.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "neuralts/context.hpp"
#include "neuralts/log.hpp"

namespace neuralts {

struct LoggedEvent {
  std::size_t first_row = 0;    ///< of its contexts: one row when shared, else one per arm
  std::size_t first_block = 0;  ///< of the arms' blocks, when shared
  std::uint32_t arms = 0;
  std::uint32_t arm = 0;  ///< that was played
  bool shared = false;
  double reward = 0;
  double probability = 1;  ///< with which `arm` was played
};

class Log {
 public:
  using Row = std::vector<std::pair<std::uint32_t, double>>;

  Shape shape;
  std::vector<std::string> arm_labels, column_names;

  const std::vector<LoggedEvent>& events() const { return events_; }
  /// Adds an event with one row per arm, or one row and a block per arm. `first_row` and `first_block` are
  /// filled in here.
  void add(LoggedEvent event, const std::vector<Row>& rows, std::span<const std::uint32_t> blocks = {});
  /// The numbers of row `i` into `out`, zeros included.
  void row(std::size_t i, std::span<double> out) const;
  std::span<const std::uint32_t> blocks(const LoggedEvent& event) const {
    return std::span(blocks_).subspan(event.first_block, event.arms);
  }

 private:
  std::vector<LoggedEvent> events_;
  std::vector<std::size_t> starts_{0};
  std::vector<std::uint32_t> columns_, blocks_;
  std::vector<double> values_;
};

/// All decisions of a log whose reward is known. Where contexts are objects every feature name becomes a
/// column, in order of appearance: a number is its value, a text "name=text" is 1, a truth is 1 when it is
/// true; an arm's row is the shared features and its own. Throws Error(bad_input), also for a log without such
/// a decision.
Log collect_log(LogReader& reader);

}  // namespace neuralts
