// Functions of each column alone: [x, 1, hats of x_1, hats of x_2, ..], a hat being 1 at its place of a row of places and
// falling to 0 at its neighbours', so that a sum of them is a line broken at all places.
#pragma once

#include <cstddef>

namespace neuralts::math {

/// `places` of each column.
constexpr std::size_t hats_length(std::size_t d, std::size_t places) { return d + 1 + d * places; }

/// Into hats_length() numbers at `out`. Places from -reach to reach, what is beyond counts as that; hats are `height`
/// high. REQUIRES places >= 2.
template <class T>
void hats(std::size_t d, const T* x, std::size_t places, double reach, double height, double* out);

}  // namespace neuralts::math
