// The arguments of gemm (simd.hpp), as one value.
#pragma once

#include <cstddef>

namespace neuralts::math {

template <class T>
struct Product {
  std::size_t M, N, K;
  const T* a;
  std::size_t a_row, a_col;
  const T* b;
  std::size_t ldb;
  bool accumulate;  // beta != 0
  T* c;
  std::size_t ldc;
};

}  // namespace neuralts::math
