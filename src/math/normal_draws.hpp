// Many standard normal numbers at once, for estimates: a hash of a counter, Box-Muller in float32 vectors.
#pragma once

#include <cstdint>
#include <span>

namespace neuralts::math {

/// Fills `out` with independent draws of N(0, 1), |x| <= 5.8, a function of `key` alone (and of the
/// instruction set, in the last bit). Good enough to average over; what a decision is drawn from is
/// Stream::normal().
void fill_normals(std::uint64_t key, std::span<float> out);

}  // namespace neuralts::math
