// Plane rotations and reflections that take new rows into a packed triangular factor: R is n x n upper
// triangular, its rows lie one behind the other (row k holds R(k, k) .. R(k, n-1)). Stable: nothing is ever
// subtracted from R'R.
#pragma once

#include <cstddef>

namespace neuralts::math {

/// R'R += x x'. x is used as working memory. `careful`: also where squares of the numbers would overflow or vanish.
void take_in(std::size_t n, double* packed, double* x, bool careful);

/// The same, not careful, for `count` vectors at x, x + ldx, ...: eight or four together read R once and take a
/// third of the time each.
void take_in_rows(std::size_t n, double* packed, std::size_t count, double* x, std::size_t ldx);

}  // namespace neuralts::math
