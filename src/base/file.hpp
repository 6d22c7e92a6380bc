// The one way to read and write whole files: nobody ever sees half of one.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace neuralts {

/// Returns `path`. Throws Error(bad_spec) for an empty one, and for one with a NUL: the system would cut it there.
const std::string& checked_path(const std::string& path);

/// Throws Error(not_found | io | bad_spec).
std::vector<char> read_file(const std::string& path);

/// Writes all of `bytes`, or leaves `path` as it was; see FileWriter. Throws Error(not_found | io | bad_spec).
void write_file(const std::string& path, std::span<const char> bytes);

/// A file that appears at once and whole.
///
/// What is written goes to a new file of a unique name in the folder of `path`; commit() flushes it, renames it
/// to `path` and flushes the folder. Any number of threads and processes may write one path: each succeeds, the
/// last commit stays. A file that was there keeps its permissions. A symbolic link is followed, not replaced. A
/// device or a pipe is not replaced either: bytes go straight into it.
class FileWriter {
 public:
  /// Throws Error(not_found | io | bad_spec); io when `path` is a folder or a socket.
  explicit FileWriter(const std::string& path);
  /// Without commit() nothing stays behind and `path` is as it was.
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  /// Throws Error(io).
  void write(std::span<const char> bytes);
  /// Throws Error(io); then `path` is as it was. REQUIRES: called once, last.
  void commit();

 private:
  void open_new();
  void flush();

  // As given, behind links, where bytes go (empty: straight into the target).
  std::string path_, target_, temporary_;
  std::vector<char> buffer_;
  int fd_ = -1;
};

/// The end of a file that was written under another name in the same folder (a download): flushes it, renames
/// it to `path`, flushes the folder. Throws Error(io).
void publish_file(const std::string& temporary, const std::string& path);

}  // namespace neuralts
