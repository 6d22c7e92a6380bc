// The features of the kernel (1 + x.y)^2: [sqrt2 x, 1, x_i x_j], i <= j, the products of two columns times sqrt2.
#pragma once

#include <cstddef>

namespace neuralts::math {

constexpr std::size_t second_degree_length(std::size_t d) { return (d + 1) * (d + 2) / 2; }

/// Into second_degree_length(d) numbers at `out`. The same bytes on every machine.
template <class T>
void second_degree(std::size_t d, const T* x, double* out);

}  // namespace neuralts::math
