#include "base/file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "neuralts/error.hpp"

namespace neuralts {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& doing, int reason) {
  throw Error(reason == ENOENT ? ErrorCode::not_found : ErrorCode::io, path, "cannot " + doing,
              std::strerror(reason));
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

 private:
  int fd_;
};

}  // namespace

const std::string& checked_path(const std::string& path) {
  if (path.empty()) throw Error(ErrorCode::bad_spec, "file", "its name is empty");
  if (const std::size_t end = path.find('\0'); end != std::string::npos)
    throw Error(ErrorCode::bad_spec, path.substr(0, end), "the file's name goes on behind a NUL", "leave it out");
  return path;
}

std::vector<char> read_file(const std::string& path) {
  const Descriptor file(::open(checked_path(path).c_str(), O_RDONLY | O_CLOEXEC));
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

}  // namespace neuralts
