#include "base/file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "neuralts/error.hpp"

namespace neuralts {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& doing, int reason) {
  throw Error(reason == ENOENT ? ErrorCode::not_found : ErrorCode::io, path, "cannot " + doing, std::strerror(reason));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd);
  }

 private:
  int fd_;
};

bool write_all(int fd, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

std::vector<char> read_file(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail(path, "open", errno);
  std::vector<char> bytes;
  for (;;) {
    constexpr std::size_t chunk = 1 << 16;
    const std::size_t size = bytes.size();
    bytes.resize(size + chunk);
    const ssize_t n = ::read(file.get(), bytes.data() + size, chunk);
    bytes.resize(size + (n > 0 ? static_cast<std::size_t>(n) : 0));
    if (n < 0 && errno != EINTR) fail(path, "read", errno);
    if (n == 0) return bytes;
  }
}

void write_file(const std::string& path, std::span<const char> bytes) {
  const std::string temporary = path + ".tmp" + std::to_string(::getpid());
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (file.get() < 0) fail(path, "create", errno);
  if (!write_all(file.get(), bytes) || ::fsync(file.get()) != 0 || file.close() != 0 || ::rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    ::unlink(temporary.c_str());
    fail(path, "write", reason);
  }
}

}  // namespace neuralts
