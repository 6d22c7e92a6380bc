#pragma once

#include <cstddef>

namespace neuralts {

/// Contexts of a decision that Learner::offered() looks at: the first ones. What they are made of need not be encoded for more.
inline constexpr std::size_t most_told = 16;

}  // namespace neuralts
