// The arguments of gemm and dots (simd.hpp), as one value each.
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

template <class T>
struct Table {
  std::size_t M, N, K;
  const T* a;
  std::size_t lda;
  const T* b;
  std::size_t ldb;
  bool accumulate;
  T* c;
  std::size_t ldc;
};

}  // namespace neuralts::math
