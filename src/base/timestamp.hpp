// Times as the decision service writes them, "2017-07-24T13:00:00.5000000Z", or with what the clock is ahead of UTC,
// "2017-07-24T15:00:00+02:00".
#pragma once

#include <string>
#include <string_view>

namespace neuralts {

/// Seconds since 1970; 0 for what is not such a time.
double parse_timestamp(std::string_view text);
/// To a tenth of a microsecond.
std::string format_timestamp(double seconds);

}  // namespace neuralts
