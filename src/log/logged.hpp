// Logged decisions in memory, whatever wrote them: contexts as sparse rows, the arm that was played, what it earned.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/line_reader.hpp"
#include "neuralts/context.hpp"

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
  /// Adds an event with one row per arm, or one row and a block per arm. `first_row` and `first_block` are filled in here.
  void add(LoggedEvent event, const std::vector<Row>& rows, const std::vector<std::uint32_t>& blocks = {});
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

/// This library's log (run_log.hpp).
Log read_run_log(LineReader& lines, std::string_view first_line);
/// VW's decision service JSON: one object per line, "_label_cost", "_label_probability", "_labelIndex", "c" with "_multi".
/// Lines without a decision (observations, activations) are skipped. The reward is the negative cost.
Log read_dsjson(LineReader& lines, std::string_view first_line);
/// VW's cb_adf text: blocks of lines, "shared |..." first, then a line per action, "action:cost:probability |..." on the
/// one that was played. Blocks without such a label are skipped. The reward is the negative cost.
Log read_vw_text(LineReader& lines, std::string_view first_line);

/// Reads a log, of the three formats the one its first line shows. Throws Error(not_found | io | bad_input).
Log read_log(Source& source);

}  // namespace neuralts
