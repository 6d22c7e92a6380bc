#include "output.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace neuralts::cli {

void occupy_standard_streams() {
  constexpr int wrong_way[] = {O_WRONLY, O_RDONLY, O_RDONLY};  // of input, output, errors
  for (int fd = 0; fd < 3; ++fd)
    if (::fcntl(fd, F_GETFD) == -1 && errno == EBADF) [[maybe_unused]]
      const int opened = ::open("/dev/null", wrong_way[fd]);  // the lowest free number, which is fd
}

bool output_is_complete() {
  const bool lost_before = std::ferror(stdout) != 0;
  if (std::fflush(stdout) == 0 && !lost_before) return true;
  fmt::print(stderr, "neuralts: standard output: could not be written{}: what was printed is not complete\n",
             lost_before ? "" : fmt::format(" ({})", std::strerror(errno)));
  return false;
}

}  // namespace neuralts::cli
