// Logs as one stream of events: files in the order given, folders as the logs they hold.
#include <algorithm>
#include <filesystem>
#include <optional>

#include "neuralts/evaluate.hpp"
#include "neuralts/log.hpp"

namespace neuralts {

namespace {

namespace fs = std::filesystem;

bool is_log(const fs::path& path) {
  const std::string name = path.filename().string();
  for (const char* ending : {".jsonl", ".dsjson", ".json", ".log", ".vw"})
    if (name.ends_with(ending)) return true;
  return false;
}

/// What a folder holds, in the order of the names. Files that a writer has rotated away are read with the file
/// they belong to.
std::vector<std::string> logs_of_folder(const std::string& folder) {
  std::vector<std::string> all, older;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && is_log(entry.path())) all.push_back(entry.path().string());
  for (const auto& path : all)
    for (const auto& part : log_files(path))
      if (part != path) older.push_back(part);
  std::erase_if(all, [&](const std::string& path) {
    return std::find(older.begin(), older.end(), path) != older.end();
  });
  std::sort(all.begin(), all.end());
  if (all.empty())
    throw Error(ErrorCode::not_found, folder, "there is no log in the folder",
                "expected files named *.jsonl, *.dsjson, *.json, *.log or *.vw");
  return all;
}

class LogEvents final : public EventSource {
 public:
  LogEvents(const std::vector<std::string>& logs, const EvaluationOptions& options) : skip_bad_(options.skip_bad) {
    for (const auto& log : logs) {
      if (!fs::is_directory(log)) {
        add_file(log);
      } else if (auto other = options.open_folder ? options.open_folder(log) : nullptr) {
        parts_.push_back({.other = std::move(other)});
      } else {
        for (const auto& file : logs_of_folder(log)) add_file(file);
      }
    }
    if (parts_.empty()) throw Error(ErrorCode::bad_spec, "evaluation", "no log is named");
  }

  void rewind() override {
    reader_.reset();
    other_ = nullptr;
    at_ = 0;
    counts_ = {};
  }

  bool next(Event& out) override {
    for (;;) {
      if (!reader_ && other_ == nullptr && !open_next()) return false;
      if (other_ != nullptr ? other_->next(out) : reader_->next(out)) return true;
      if (reader_) {
        add(reader_->counts());
        refuse_strays();
      }
      reader_.reset();
      other_ = nullptr;
    }
  }

  std::string place() const override {
    return reader_ ? reader_->place() : other_ != nullptr ? other_->place() : "";
  }

  /// Of the last complete reading.
  const LogCounts& counts() const { return counts_; }

  std::vector<std::string> notes() const {
    std::vector<std::string> words;
    const auto say = [&](std::size_t count, const std::string& what) {
      if (count > 0) words.push_back(std::to_string(count) + " " + what);
    };
    say(counts_.refused, "records were left out; the first: " + counts_.first_problem);
    say(counts_.duplicate_rewards,
        "rewards came for decisions that had one: the first one counts (a second at " +
            counts_.first_duplicate_reward + ")");
    say(counts_.unmatched_rewards, "rewards belong to no decision of the log");
    if (!counts_.cut.empty()) words.push_back(counts_.cut);
    return words;
  }

 private:
  /// Files of one format that follow each other are one log: a reward may stand in a later file than its decision.
  void add_file(const std::string& path) {
    const LogFormat format = log_format(path);
    if (parts_.empty() || parts_.back().other || parts_.back().format != format)
      parts_.push_back({.format = format});
    parts_.back().files.push_back(path);
  }

  bool open_next() {
    if (at_ == parts_.size()) return false;
    const Part& part = parts_[at_++];
    other_ = part.other.get();
    if (other_ != nullptr)
      other_->rewind();
    else
      reader_.emplace(part.files, ReadLogOptions{.skip_bad = skip_bad_});
    return true;
  }

  /// Throws Error(bad_input) for rewards of no decision, unless what is bad is to be counted.
  void refuse_strays() const {
    if (skip_bad_) return;
    const LogCounts& counts = reader_->counts();
    if (counts.unmatched_rewards > 0)
      throw Error(ErrorCode::bad_input, counts.first_unmatched_reward,
                  "its reward belongs to no decision of the log (" + std::to_string(counts.unmatched_rewards) + " such rewards)",
                  "name the log before it too, or count them with --skip-bad (skip_bad)");
  }

  void add(const LogCounts& more) {
    counts_.refused += more.refused;
    counts_.duplicate_rewards += more.duplicate_rewards;
    counts_.unmatched_rewards += more.unmatched_rewards;
    if (counts_.first_problem.empty()) counts_.first_problem = more.first_problem;
    if (counts_.first_duplicate_reward.empty()) counts_.first_duplicate_reward = more.first_duplicate_reward;
    if (counts_.cut.empty()) counts_.cut = more.cut;
  }

  bool skip_bad_;
  struct Part {
    LogFormat format = LogFormat::own;
    std::vector<std::string> files{};
    std::unique_ptr<EventSource> other{};  // nothing: log files of that format
  };
  std::vector<Part> parts_;
  std::size_t at_ = 0;
  std::optional<LogReader> reader_;  // of the files that are read now
  EventSource* other_ = nullptr;     // or what is read instead
  LogCounts counts_;
};

}  // namespace

Evaluation evaluate(const std::vector<std::string>& logs, const EvaluationOptions& options) {
  LogEvents events(logs, options);
  Evaluation found = evaluate(events, options);
  found.logs = logs;
  found.refused = events.counts().refused;
  for (auto& note : events.notes()) found.notes.push_back(std::move(note));
  return found;
}

PolicyRows policy_probabilities(const std::vector<std::string>& logs, const std::string& policy,
                                std::uint64_t seed) {
  LogEvents events(logs, {});
  return policy_probabilities(events, policy, seed);
}

Tuning tune(const std::vector<std::string>& logs, const std::string& policy,
            const std::vector<std::pair<std::string, std::vector<std::string>>>& set,
            const EvaluationOptions& options) {
  LogEvents events(logs, options);
  Tuning found = tune(events, policy, set, options);
  for (auto& note : events.notes()) found.notes.push_back(std::move(note));
  return found;
}

}  // namespace neuralts
