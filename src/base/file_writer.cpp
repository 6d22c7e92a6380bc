// Files that appear at once and whole: a unique temporary name, flush, rename, flush of the folder.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/file.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t buffered = 1 << 16;

[[noreturn]] void fail(const std::string& path, const std::string& doing, int reason) {
  throw Error(reason == ENOENT ? ErrorCode::not_found : ErrorCode::io, path, "cannot " + doing,
              std::strerror(reason));
}

// Where a chain of symbolic links ends; there need not be a file.
std::string behind_links(const std::string& path) {
  constexpr int most = 40;  // as the kernel has it
  fs::path at = path;
  std::error_code none;
  for (int links = 0; fs::is_symlink(at, none); ++links) {
    if (links == most) fail(path, "follow", ELOOP);
    at = at.parent_path() / fs::read_symlink(at, none);
  }
  return at.string();
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

bool write_all(int fd, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

// True where there is nothing to flush to, as for a pipe.
bool flush_to_disk(int fd) { return ::fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP; }

// Without it a rename may be lost with the power. A folder that cannot be opened has been renamed in all the same.
void flush_folder(const std::string& path) {
  const int folder = ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  const bool flushed = flush_to_disk(folder);
  const int reason = errno;
  ::close(folder);
  if (!flushed) fail(path, "flush the folder of", reason);
}

std::string next_name(const std::string& path) {
  static std::atomic<unsigned> counter = 0;
  return path + "." + std::to_string(::getpid()) + "-" + std::to_string(++counter) + ".tmp";
}

}  // namespace

FileWriter::FileWriter(const std::string& path) : path_(checked_path(path)), target_(behind_links(path)) {
  buffer_.reserve(buffered);
  struct stat there {};
  const bool exists = ::stat(target_.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) fail(path, "write", EISDIR);
  if (exists && !S_ISREG(there.st_mode)) {
    fd_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) fail(path, "open", errno);
    return;
  }
  open_new();
  if (exists) ::fchmod(fd_, there.st_mode & 07777);
}

// O_EXCL makes the name unique even among machines that share the folder.
void FileWriter::open_new() {
  do {
    temporary_ = next_name(target_);
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  } while (fd_ < 0 && errno == EEXIST);
  if (fd_ < 0) fail(path_, "create", errno);
}

FileWriter::~FileWriter() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void FileWriter::write(std::span<const char> bytes) {
  if (buffer_.size() + bytes.size() > buffered) flush();
  if (bytes.size() > buffered) {
    if (!write_all(fd_, bytes)) fail(path_, "write", errno);
  } else {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
}

void FileWriter::flush() {
  if (!write_all(fd_, buffer_)) fail(path_, "write", errno);
  buffer_.clear();
}

void FileWriter::commit() {
  flush();
  if (!flush_to_disk(fd_)) fail(path_, "write", errno);
  const int fd = fd_;
  fd_ = -1;
  if (::close(fd) != 0) fail(path_, "write", errno);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(path_, "write", errno);
  temporary_.clear();
  flush_folder(target_);
}

void write_file(const std::string& path, std::span<const char> bytes) {
  FileWriter file(path);
  file.write(bytes);
  file.commit();
}

void publish_file(const std::string& temporary, const std::string& path) {
  const int fd = ::open(checked_path(temporary).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail(temporary, "open", errno);
  const bool flushed = flush_to_disk(fd);
  const int reason = errno;
  ::close(fd);
  if (!flushed) fail(temporary, "flush", reason);
  const std::string target = behind_links(checked_path(path));
  if (::rename(temporary.c_str(), target.c_str()) != 0) fail(path, "rename to", errno);
  flush_folder(target);
}

}  // namespace neuralts
