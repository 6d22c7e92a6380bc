#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "log/json_door.hpp"
#include "log/lines.hpp"
#include "log/record_parser.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

namespace {

constexpr std::string_view reward_line = "{\"reward_of\"", event_line = "{\"event\"";
constexpr std::array own_keys{"event", "reward_of", "arm"};

// Whether an object is one of this library's, in whatever order its keys come.
bool is_own(std::string_view line) {
  json::parser parser;
  const json::element record = parse_json(parser, line);
  return std::any_of(own_keys.begin(), own_keys.end(),
                     [&](const char* key) { return record.at_key(key).error() == simdjson::SUCCESS; });
}

// What the first line shows. A first line that was cut off is this library's header that is being written.
LogFormat format_of(std::string_view line, bool whole) {
  const std::string_view text = trim(line);
  if (!text.starts_with('{')) return LogFormat::vw;
  if (!whole || text.starts_with(event_line) || text.starts_with(reward_line) || text.find("\"neuralts_log\"") != text.npos)
    return LogFormat::own;
  try {
    return is_own(text) ? LogFormat::own : LogFormat::dsjson;
  } catch (const simdjson::simdjson_error&) {
    return LogFormat::dsjson;
  }
}

LogFormat format_of(LogLines& lines) {
  std::string_view line;
  while (lines.next(line))
    if (!trim(line).empty()) return format_of(line, lines.whole());
  return LogFormat::own;
}

std::unique_ptr<RecordParser> parser_of(LogFormat format, LogHead& head) {
  switch (format) {
    case LogFormat::own: return own_parser(head);
    case LogFormat::dsjson: return dsjson_parser();
    case LogFormat::vw: break;
  }
  return vw_parser();
}

}  // namespace

struct LogReader::State {
  State(LogLines given, std::string named, const ReadLogOptions& asked)
      : lines(std::move(given)), name(std::move(named)), options(asked) {
    format = format_of(lines);
    lines.rewind();
    parser = parser_of(format, head);
    if (format != LogFormat::own) return;
    read_head();
    collect_rewards();
  }

  // The header is known before the first event is asked for.
  void read_head() {
    std::string_view line;
    while (lines.next(line)) {
      if (trim(line).empty()) continue;
      if (lines.whole() && line.find("\"neuralts_log\"") != line.npos) parse_head(line);
      break;
    }
    lines.rewind();
  }

  // One that is bad and to be skipped is counted when its line comes again, by next().
  void parse_head(std::string_view line) {
    Event nothing;
    try {
      parser->parse(line, nothing);
    } catch (const BadRecord& bad) {
      parser->recover();
      if (!options.skip_bad) lines.fail(bad.what, bad.hint);
    }
  }

  // The first pass: rewards come after their decisions, hours later, in another file.
  void collect_rewards() {
    constexpr std::string_view mark = "\"reward_of\"";
    std::string_view line;
    while (lines.next(line)) {
      if (line.starts_with(event_line)) continue;  // as LogWriter begins a decision
      if (line.find(mark) != line.npos) collect(line);
    }
    counts.unmatched_rewards = rewards.size();
    lines.rewind();
  }

  void collect(std::string_view line) {
    const auto file = static_cast<std::uint32_t>(lines.file_number());
    try {
      if (collect_reward(line, file, lines.number(), rewards) == Collected::second) note_second(lines.place());
    } catch (const BadRecord&) {
      bad_rewards.emplace(file, lines.number());  // told when its line comes again
    }
  }

  void note_second(const std::string& place) {
    if (counts.duplicate_rewards++ == 0) counts.first_duplicate_reward = place;
  }

  // A line of a reward that was taken in.
  bool collected(std::string_view line) const {
    return format == LogFormat::own && lines.whole() && line.starts_with(reward_line) && !known_bad();
  }

  bool known_bad() const {
    return !bad_rewards.empty() && bad_rewards.contains({lines.file_number(), lines.number()});
  }

  std::optional<RecordParser::Outcome> attempt(std::string_view line, Event& out) {
    try {
      if (known_bad()) collect_reward(line, 0, 0, rewards);
      const auto outcome = parser->parse(line, out);
      if (outcome == RecordParser::Outcome::event) check(out);
      return outcome;
    } catch (const BadRecord& bad) {
      parser->recover();
      if (!lines.whole())
        note_cut();
      else
        refuse(bad);
      return std::nullopt;
    }
  }

  static void check(const Event& event) {
    if (auto problem = problem_of(event)) throw BadRecord{*problem};
  }

  void refuse(const BadRecord& bad) {
    if (!options.skip_bad) lines.fail(bad.what, bad.hint);
    if (counts.refused++ == 0) counts.first_problem = lines.place() + ": " + bad.what;
  }

  void note_cut() {
    counts.cut_bytes += lines.bytes();
    counts.cut = lines.place() + ": the last record is not whole: " + std::to_string(lines.bytes()) +
                 " bytes are left out";
  }

  void join(Event& event) {
    LateReward* late = rewards.find(event.id);
    if (late == nullptr) return;
    const bool first = !std::exchange(late->used, true);
    if (first) --counts.unmatched_rewards;
    if (event.reward) {  // with the decision
      if (first) note_second(lines.place(late->file, late->line));
      return;
    }
    event.reward = late->reward;
    event.reward_time = late->time;
  }

  void name_unmatched() {
    const LateReward* first = rewards.first_unused();
    if (first != nullptr) counts.first_unmatched_reward = lines.place(first->file, first->line);
  }

  bool hand_out(Event& event) {
    join(event);
    if (options.only_rewarded && !event.reward) return false;
    ++counts.events;
    counts.rewarded += event.reward.has_value();
    return true;
  }

  // JSON of which no line is a decision is some other file, and what is left of a gzip file may be nothing.
  bool refuse_other_files() const {
    if (!lines.cut().empty() && counts.events + counts.refused == 0) throw Error(ErrorCode::bad_input, name, lines.cut());
    if (counts.other > 0 && !options.only_rewarded && counts.events + counts.refused == 0)
      throw Error(ErrorCode::bad_input, name, "the log holds no decision",
                  "expected this library's log, dsjson or VW's cb_adf text");
    return false;
  }

  bool next(Event& out) {
    std::string_view line;
    while (lines.next(line)) {
      if (collected(line)) continue;
      if (format != LogFormat::vw && trim(line).empty()) continue;
      const auto outcome = attempt(line, out);
      if (outcome == RecordParser::Outcome::other) ++counts.other;
      if (outcome == RecordParser::Outcome::event && hand_out(out)) return true;
    }
    name_unmatched();
    if (!lines.cut().empty()) counts.cut = lines.cut();
    if (!parser->finish(out)) return refuse_other_files();
    try {
      check(out);
      return hand_out(out);
    } catch (const BadRecord& bad) {
      refuse(bad);
      return false;
    }
  }

  LogLines lines;
  std::string name;
  ReadLogOptions options;
  LogFormat format = LogFormat::own;
  LogHead head;
  LogCounts counts;
  LateRewards rewards;
  std::set<std::pair<std::size_t, std::size_t>> bad_rewards;  // file, line
  std::unique_ptr<RecordParser> parser;
};

LogReader::LogReader(const std::string& path, const ReadLogOptions& options)
    : LogReader(std::vector{path}, options) {}
LogReader::LogReader(const std::vector<std::string>& paths, const ReadLogOptions& options) {
  std::vector<std::string> all;
  for (const auto& path : paths) {
    auto files = log_files(path);
    if (files.empty()) files.push_back(path);  // opening it says what is wrong
    all.insert(all.end(), files.begin(), files.end());
  }
  state_ = std::make_unique<State>(LogLines(std::move(all)), paths.empty() ? "" : paths.front(), options);
}
LogReader::LogReader(std::string_view text, const std::string& name, const ReadLogOptions& options)
    : state_(std::make_unique<State>(LogLines(text, name), name, options)) {}
LogReader::~LogReader() = default;
LogReader::LogReader(LogReader&&) noexcept = default;
LogReader& LogReader::operator=(LogReader&&) noexcept = default;

bool LogReader::next(Event& out) { return state_->next(out); }
std::string LogReader::place() const { return state_->lines.place(); }
LogFormat LogReader::format() const { return state_->format; }
const LogHead& LogReader::head() const { return state_->head; }
const LogCounts& LogReader::counts() const { return state_->counts; }
const std::string& LogReader::name() const { return state_->name; }

LogFormat log_format(const std::string& path) {
  const auto files = log_files(path);
  LogLines lines({files.empty() ? path : files.front()});
  return format_of(lines);
}

}  // namespace neuralts
