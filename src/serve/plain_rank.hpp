// A rank body in its plainest form, read in one pass: {"event_id":"...","actions":[{"id":"...","vector":[...]},
// ...]}, keys in any order. Most bodies with vectors are of it, and the general reader spends most of its time
// on their numbers.
#pragma once

#include <string_view>

#include "serve/bodies.hpp"

namespace neuralts::serve {

/// True: `out`, cleared before, holds what the general reader would have read. False: it may have been wrong or
/// just not plain (escapes, other keys, objects); `out` holds anything, and the general reader says what it is.
bool read_plain_rank(std::string_view body, const BodyLimits& limits, RankBody& out);

}  // namespace neuralts::serve
