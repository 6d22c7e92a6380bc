// A plane rotation of two vectors: what a Cholesky factor's row and a new vector go through together.
#pragma once

#include <cstddef>

namespace neuralts::math {

/// (x, y) = (c x + s y, c y - s x), n numbers each; they may not overlap.
void rotate(std::size_t n, double c, double s, double* x, double* y);

}  // namespace neuralts::math
