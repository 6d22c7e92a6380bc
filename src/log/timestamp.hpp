// Times as the decision service writes them: "2017-07-24T13:00:00.5000000Z".
#pragma once

#include <string>
#include <string_view>

namespace neuralts {

/// Seconds since 1970; 0 for what is not such a time.
double parse_timestamp(std::string_view text);
/// To a tenth of a microsecond.
std::string format_timestamp(double seconds);

}  // namespace neuralts
