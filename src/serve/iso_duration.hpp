// ISO 8601 durations, as Personalizer's configuration has them: "PT10M", "P1DT2H", "PT5.5S".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace neuralts::serve {

/// Microseconds; nothing for a text that is none, and for years and months, whose length varies.
std::optional<std::int64_t> parse_duration(std::string_view text);
/// The other way, in days, hours, minutes and seconds.
std::string duration_text(std::int64_t duration_us);

}  // namespace neuralts::serve
