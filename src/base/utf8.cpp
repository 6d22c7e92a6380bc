#include "base/utf8.hpp"

#include <cstddef>
#include <cstdint>

namespace neuralts {

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t at) -> std::uint32_t {
      return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
    };
    const std::uint32_t first = byte(i);
    if (first < 0x80) {
      ++i;
      continue;
    }
    const std::size_t more = first >> 5 == 0x6 ? 1 : first >> 4 == 0xE ? 2 : first >> 3 == 0x1E ? 3 : 0;
    if (more == 0) return false;
    std::uint32_t code = first & (0x3Fu >> more);
    for (std::size_t k = 1; k <= more; ++k) {
      if (byte(i + k) >> 6 != 2) return false;
      code = code << 6 | (byte(i + k) & 0x3F);
    }
    constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (code < least[more] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return false;
    i += more + 1;
  }
  return true;
}

}  // namespace neuralts
