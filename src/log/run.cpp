// This library's own log: a header line, then a line per round.
#include "base/text.hpp"
#include "log/json.hpp"
#include "log/logged.hpp"

namespace neuralts {

namespace {

constexpr std::size_t most = 100'000'000;

Log::Row sparse(const std::vector<double>& numbers) {
  Log::Row row;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != 0) row.emplace_back(static_cast<std::uint32_t>(i), numbers[i]);
  return row;
}

Log read_head(const JsonLine& head) {
  if (head.number("neuralts_log") != 1) head.fail("the log has a version this program does not read", "expected version 1");
  Log log;
  log.shape = {head.index("block", most), head.index("blocks", most)};
  if (log.shape.length == 0 || log.shape.blocks == 0) head.fail("\"block\" and \"blocks\" must be at least 1");
  log.arm_labels = head.texts("arm_labels");
  log.column_names = head.texts("column_names");
  return log;
}

Log::Row read_context(const JsonLine& line, const nlohmann::json& value, const char* key, std::size_t size) {
  const auto numbers = line.numbers(value, key);
  if (numbers.size() != size)
    line.fail(std::string("a context of \"") + key + "\" has " + std::to_string(numbers.size()) + " numbers",
              "the log's header says " + std::to_string(size));
  return sparse(numbers);
}

std::vector<std::uint32_t> read_blocks(const JsonLine& line, std::size_t blocks) {
  std::vector<std::uint32_t> all;
  for (const double number : line.numbers(line.at("blocks"), "blocks")) {
    if (!(number >= 0 && number < static_cast<double>(blocks)))
      line.fail("a block is " + format_number(number), "the log's header says " + std::to_string(blocks) + " blocks");
    all.push_back(static_cast<std::uint32_t>(number));
  }
  return all;
}

void read_round(const JsonLine& line, Log& log) {
  LoggedEvent event;
  event.shared = line.has("shared");
  std::vector<Log::Row> rows;
  std::vector<std::uint32_t> blocks;
  if (event.shared) {
    rows.push_back(read_context(line, line.at("shared"), "shared", log.shape.length));
    blocks = read_blocks(line, log.shape.blocks);
  } else {
    if (!line.at("contexts").is_array()) line.fail("\"contexts\" is not a list");
    for (const auto& context : line.at("contexts")) rows.push_back(read_context(line, context, "contexts", log.shape.length));
  }
  event.arms = static_cast<std::uint32_t>(event.shared ? blocks.size() : rows.size());
  if (event.arms == 0) line.fail("the round offers no arm");
  event.arm = static_cast<std::uint32_t>(line.index("arm", event.arms));
  event.reward = line.number("reward");
  const auto probabilities = line.numbers(line.at("probabilities"), "probabilities");
  if (probabilities.size() != event.arms)
    line.fail("there are " + std::to_string(probabilities.size()) + " probabilities for " + std::to_string(event.arms) + " arms");
  event.probability = probabilities[event.arm];
  if (!(event.probability > 0 && event.probability <= 1 + 1e-9))
    line.fail("the probability of the arm that was played is " + format_number(event.probability), "expected above 0, at most 1");
  log.add(event, rows, blocks);
}

}  // namespace

Log read_run_log(LineReader& lines, std::string_view first_line) {
  Log log = read_head(JsonLine(first_line, lines));
  std::string_view line;
  while (lines.next(line))
    if (!trim(line).empty()) read_round(JsonLine(line, lines), log);
  return log;
}

}  // namespace neuralts
