// A file that only grows: whole records are appended by one system call each time.
#pragma once

#include <string>
#include <string_view>

namespace neuralts {

class AppendFile {
 public:
  /// Opens or creates; `keep` false: empties it. Throws Error(io).
  AppendFile(const std::string& path, bool keep);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  /// Throws Error(io); then the file is as long as before.
  void append(std::string_view bytes);
  void sync();
  std::size_t size() const { return size_; }
  /// Cuts off what follows the last line end: a record that its writer had no time to finish.
  void drop_partial_line();

 private:
  [[noreturn]] void fail(const std::string& doing) const;
  std::string path_;
  int fd_ = -1;
  std::size_t size_ = 0;
};

/// Packs `path` into `path`.gz (under another name until it is whole), then removes `path`. Throws Error(io).
void pack_file(const std::string& path);

}  // namespace neuralts
