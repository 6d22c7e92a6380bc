// Columns of numbers on their way to a model; width chosen at run time (columns.cpp).
#pragma once

#include <cstddef>

namespace neuralts::math {

/// out_i = (x_i - mean_i) scale_i, at most `limit` away from 0; where scale_i is 0 and x_i is not mean_i: just
/// so far. The same numbers on every machine. REQUIRES scale_i >= 0, limit >= 0, no NaN.
template <class T>
void standardise(std::size_t n, const double* x, const double* mean, const double* scale, double limit, T* out);

}  // namespace neuralts::math
