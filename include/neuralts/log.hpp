// Logs of decisions: written safely while decisions are made, read as a stream, whatever wrote them
// (doc/formats.md).
//
//   LogWriter log("shop.jsonl");
//   log.write(event);                                  // when it is decided
//   log.reward(event.id, 1.0, now);                    // when, and if, it comes
//
//   LogReader in("shop.jsonl");                        // also while it is being written
//   for (Event event; in.next(event);) ...             // rewards joined
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "neuralts/event.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

enum class LogFormat {
  own,     ///< this library's: a JSON object per line, rewards as lines of their own
  dsjson,  ///< VW's decision service: a JSON object per line, the label within it
  vw,      ///< VW's cb_adf text: a block of lines per decision
};
/// "neuralts", "dsjson", "vw". Throws Error(bad_spec) for another word.
LogFormat parse_log_format(const std::string& text);
const char* to_string(LogFormat format);

/// What a log says of itself in its first line. All of it may be absent.
struct LogHead {
  std::size_t length = 0, blocks = 0;  ///< of R^D, where contexts are numbers; 0: not said
  std::vector<std::string> arm_labels{}, column_names{};
  std::string json{};  ///< the whole line; other keys are for people
};

struct LogCounts {
  std::size_t events = 0;              ///< decisions handed out
  std::size_t rewarded = 0;            ///< of them with a reward
  std::size_t duplicate_rewards = 0;   ///< a second reward for the same decision: the first one counts
  std::size_t unmatched_rewards = 0;   ///< for a decision that is not in the log
  std::size_t refused = 0;             ///< records left out because something was wrong with them (skip_bad)
  std::size_t other = 0;               ///< lines that are no decision (foreign formats)
  std::size_t cut_bytes = 0;           ///< of a last record that is not whole
  std::string first_problem{};         ///< of the refused ones, with its line
  std::string first_duplicate_reward{}, first_unmatched_reward{};  ///< "file, line 7"; empty: there is none
  std::string cut{};                   ///< what was left out at the end, in words; empty: nothing
};

struct ReadLogOptions {
  bool skip_bad = false;       ///< leave out and count what is wrong, instead of throwing
  bool only_rewarded = false;  ///< hand out only decisions whose reward is known
};

/// Reads a log as a stream; of the three formats the one its first line shows. Rewards that stand in lines of
/// their own are collected in a first pass and joined to their decisions; that memory is all that grows with
/// the log. A last record that is not whole is left out and said in counts().
class LogReader {
 public:
  /// `path`: a file, plain or gzip, with the files a LogWriter has rotated away from it before it. Throws
  /// Error(not_found | io).
  explicit LogReader(const std::string& path, const ReadLogOptions& options = {});
  /// Several logs of one format as one, in the order given: a reward may stand in another of them than its
  /// decision.
  explicit LogReader(const std::vector<std::string>& paths, const ReadLogOptions& options = {});
  /// Text in memory, which must outlive the reader.
  LogReader(std::string_view text, const std::string& name, const ReadLogOptions& options = {});
  ~LogReader();
  LogReader(LogReader&&) noexcept;
  LogReader& operator=(LogReader&&) noexcept;

  /// The next decision into `out`, whose memory is reused; false at the end. Throws Error(bad_input) with the
  /// line for what is not a record, and for probabilities that are negative or do not sum to 1, unless such
  /// records are to be skipped.
  bool next(Event& out);
  /// Where the record just read ends: "file, line 7".
  std::string place() const;
  LogFormat format() const;
  const LogHead& head() const;
  /// Complete once next() has returned false.
  const LogCounts& counts() const;
  const std::string& name() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct LogWriterOptions {
  LogFormat format = LogFormat::own;
  /// A file that has reached this size gets a number and a new one is begun; 0: never.
  std::size_t rotate_bytes = 0;
  bool compress = true;          ///< files that were rotated away
  /// Go on with a file that is there (a last record that is not whole is cut off first); false: begin anew.
  bool append = true;
  /// Records reach the file at least so often while others are written; 0: each at once.
  double flush_seconds = 1;
  LogHead head{};                ///< of new files
};

/// Appends records. Records reach the file whole or, when the program is killed, not at all but for the last one.
/// May be used from many threads. FILE.jsonl is rotated to FILE.000001.jsonl, and packed to
/// FILE.000001.jsonl.gz beside the writing. In the foreign formats a decision is one record with its reward:
/// reward() is Error(unsupported) there.
class LogWriter {
 public:
  /// Throws Error(io).
  explicit LogWriter(const std::string& path, LogWriterOptions options = {});
  ~LogWriter();  ///< close(), but what goes wrong stays unsaid
  LogWriter(LogWriter&&) noexcept;
  LogWriter& operator=(LogWriter&&) noexcept;

  /// Throws ContractError for an event that is not sound (problem_of), Error(io) when the system says no.
  void write(const Event& event);
  void reward(const std::string& event_id, double reward, double time = 0);
  /// What has been written is in the file when it returns; `durable`: and survives a loss of power.
  void flush(bool durable = false);
  void close();
  std::size_t written() const;  ///< records
  const std::string& path() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The format that a log's first line shows. Throws Error(not_found | io).
LogFormat log_format(const std::string& path);

/// Copies a log into another format, event by event, rewards joined. Returns the number of events. The file
/// appears when it is whole. Throws as LogReader and LogWriter do.
std::size_t write_log(LogReader& from, const std::string& path, LogFormat format);

/// Rotated files that belong to `path`, oldest first, then `path` itself where it is there.
std::vector<std::string> log_files(const std::string& path);

}  // namespace neuralts
#pragma GCC visibility pop
