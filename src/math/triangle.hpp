// Triangular systems with a packed factor, several right-hand sides at a time.
#pragma once

#include <cstddef>

namespace neuralts::math {

/// z = R^-T z, in place, for `count` vectors at z, z + ldz, ...: R is n x n upper triangular, its rows packed
/// one behind the other (row k holds R(k, k) .. R(k, n-1)). A vector's bytes do not depend on which others are
/// solved with it; several together read R once.
void solve_transposed(std::size_t n, const double* packed, std::size_t count, double* z, std::size_t ldz);

}  // namespace neuralts::math
