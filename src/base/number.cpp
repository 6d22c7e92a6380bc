#include "base/number.hpp"

#include <cstdint>

#include "base/text.hpp"

namespace neuralts {

// Up to 15 digits the mantissa and the power of ten are exact doubles, so that their quotient is correctly rounded
// (Clinger 1990); everything else goes to std::from_chars.
std::optional<double> read_number(std::string_view text) {
  static constexpr double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  if (text.empty() || text.size() > 16) return parse_number(text);
  const bool negative = text.front() == '-';
  std::uint64_t mantissa = 0;
  std::size_t digits = 0, point = text.size();
  for (std::size_t i = negative; i < text.size(); ++i) {
    const unsigned digit = static_cast<unsigned char>(text[i]) - unsigned{'0'};
    if (digit <= 9) {
      mantissa = 10 * mantissa + digit;
      ++digits;
    } else if (text[i] == '.' && point == text.size()) {
      point = i;
    } else {
      return parse_number(text);
    }
  }
  if (digits == 0 || digits > 15) return parse_number(text);
  const std::size_t decimals = point == text.size() ? 0 : text.size() - point - 1;
  const double value = static_cast<double>(mantissa) / powers[decimals];
  return negative ? -value : value;
}

}  // namespace neuralts
