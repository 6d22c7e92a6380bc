#include "neuralts/session.hpp"

#include <cmath>

#include "base/text.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

double parse_duration(const std::string& text, const std::string& where) {
  constexpr struct {
    char letter;
    double seconds;
  } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};
  std::string_view rest = trim(text);
  double factor = 1;
  for (const auto& unit : units)
    if (rest.ends_with(unit.letter)) {
      factor = unit.seconds;
      rest = trim(rest.substr(0, rest.size() - 1));
      break;
    }
  const auto number = parse_number(rest);
  if (!number || !std::isfinite(*number) || *number < 0)
    throw Error(ErrorCode::bad_spec, where, "'" + text + "' is not a span of time",
                "write 90, 45s, 30m, 6h, 2d or 1w");
  return *number * factor;
}

}  // namespace neuralts
