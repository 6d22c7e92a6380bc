#include "log/logged.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

void Log::add(LoggedEvent event, const std::vector<Row>& rows, const std::vector<std::uint32_t>& blocks) {
  event.first_row = starts_.size() - 1;
  event.first_block = blocks_.size();
  blocks_.insert(blocks_.end(), blocks.begin(), blocks.end());
  for (const auto& row : rows) {
    for (const auto& [column, value] : row) {
      columns_.push_back(column);
      values_.push_back(value);
    }
    starts_.push_back(values_.size());
  }
  events_.push_back(event);
}

// A feature named twice counts twice.
void Log::row(std::size_t i, std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t at = starts_[i]; at < starts_[i + 1]; ++at) out[columns_[at]] += values_[at];
}

Log read_log(Source& source) {
  LineReader lines(source);
  std::string_view line;
  do {
    if (!lines.next(line))
      throw Error(ErrorCode::bad_input, source.name(), "the log is empty", "expected one JSON object per line, or VW's cb_adf text");
  } while (trim(line).empty());
  const std::string first(line);
  const bool json = trim(first).starts_with('{');
  Log log = !json                                                 ? read_vw_text(lines, first)
            : first.find("\"neuralts_log\"") != std::string::npos ? read_run_log(lines, first)
                                                                  : read_dsjson(lines, first);
  if (log.events().empty())
    throw Error(ErrorCode::bad_input, source.name(), "the log holds no decision with a reward", "there is nothing to replay");
  return log;
}

}  // namespace neuralts
