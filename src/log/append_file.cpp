#include "log/append_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/file.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

AppendFile::AppendFile(const std::string& path, bool keep)
    : path_(path),
      fd_(::open(checked_path(path).c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | (keep ? 0 : O_TRUNC),
                 0644)) {
  if (fd_ < 0) fail("open");
  struct stat about {};
  if (::fstat(fd_, &about) == 0 && S_ISREG(about.st_mode)) size_ = static_cast<std::size_t>(about.st_size);
}

AppendFile::~AppendFile() {
  if (fd_ >= 0) ::close(fd_);
}

void AppendFile::fail(const std::string& doing) const {
  throw Error(ErrorCode::io, path_, "cannot " + doing + " the log", std::strerror(errno));
}

void AppendFile::append(std::string_view bytes) {
  const std::size_t before = size_;
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int reason = errno;
      if (::ftruncate(fd_, static_cast<off_t>(before)) == 0) size_ = before;
      errno = reason;
      fail("write");
    }
    size_ += static_cast<std::size_t>(n);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void AppendFile::sync() {
  if (::fdatasync(fd_) != 0 && errno != EINVAL) fail("flush");  // a pipe has nothing to flush
}

void AppendFile::drop_partial_line() {
  std::size_t end = size_;
  std::vector<char> piece(1 << 16);
  while (end > 0) {
    const std::size_t length = std::min(end, piece.size());
    if (::pread(fd_, piece.data(), length, static_cast<off_t>(end - length)) != static_cast<ssize_t>(length))
      fail("read");
    const auto last = std::find(piece.rend() - static_cast<std::ptrdiff_t>(length), piece.rend(), '\n');
    if (last != piece.rend()) {
      end -= length - static_cast<std::size_t>(piece.rend() - last);
      break;
    }
    end -= length;
  }
  if (end == size_) return;
  if (::ftruncate(fd_, static_cast<off_t>(end)) != 0) fail("cut a torn record off");
  size_ = end;
}

void pack_file(const std::string& path) {
  const std::string packed = path + ".gz", temporary = packed + ".tmp" + std::to_string(::getpid());
  FILE* in = std::fopen(path.c_str(), "rb");
  gzFile out = in == nullptr ? nullptr : ::gzopen(temporary.c_str(), "wb1");
  bool good = out != nullptr;
  std::vector<char> piece(1 << 18);
  for (std::size_t n = 1; good && n > 0;) {
    n = std::fread(piece.data(), 1, piece.size(), in);
    good = (n == 0 || ::gzwrite(out, piece.data(), static_cast<unsigned>(n)) == static_cast<int>(n)) &&
           std::ferror(in) == 0;
  }
  const int reason = errno;
  if (out != nullptr && ::gzclose_w(out) != Z_OK) good = false;
  if (in != nullptr) std::fclose(in);
  if (good) {
    publish_file(temporary, packed);
    ::unlink(path.c_str());
    return;
  }
  ::unlink(temporary.c_str());
  throw Error(ErrorCode::io, path, "cannot pack the log", std::strerror(reason));
}

}  // namespace neuralts
