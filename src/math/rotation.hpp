// Plane rotations that take new rows into a packed triangular factor.
#pragma once

#include <cstddef>

namespace neuralts::math {

/// R'R += x x' for `count` vectors at x, x + ldx, ..., one after the other: R is n x n upper triangular, its rows packed one behind the
/// other (row k holds R(k, k) .. R(k, n-1)). The vectors are used as working memory. The bytes do not depend on how many are given at a
/// time; four together read R once. `careful`: also where squares of the numbers would overflow or vanish.
/// Stable: nothing is ever subtracted from R'R.
void take_in(std::size_t n, double* packed, std::size_t count, double* x, std::size_t ldx, bool careful);

}  // namespace neuralts::math
