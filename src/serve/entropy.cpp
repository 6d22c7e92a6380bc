#include "serve/entropy.hpp"

#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "neuralts/error.hpp"

namespace neuralts::serve {

std::uint64_t SystemEntropy::bits64() {
  std::uint64_t bits = 0;
  if (::getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits))
    throw Error(ErrorCode::io, "random numbers", std::strerror(errno));
  return bits;
}

}  // namespace neuralts::serve
