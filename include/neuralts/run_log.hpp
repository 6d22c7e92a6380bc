// The log of a run: one JSON object per line, every round with its contexts, choice, probabilities and reward
// (doc/formats.md). What is written here, make_environment("log:FILE") replays.
#pragma once

#include <memory>
#include <string>

#include "neuralts/run.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

/// The file appears with finish(), whole; a log that is not finished leaves nothing behind. A device or a pipe
/// is written into.
class RunLog {
 public:
  /// Throws Error(io).
  RunLog(const std::string& path, const EnvironmentInfo& env, const RunSpec& spec);
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  /// One line; fit for RunHooks::record. Throws Error(io).
  void write(const RoundRecord& record);
  /// Throws Error(io); then the file is not there.
  void finish();

 private:
  void append(const std::string& line);
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace neuralts
#pragma GCC visibility pop
