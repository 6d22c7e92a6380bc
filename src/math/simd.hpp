// The inner loops, for float and double, on plain arrays. The vector width is chosen at run time (simd.cpp).
//
// Letters: all matrices row-major; `ld*` is the distance between rows. No pointer may alias an output.
#pragma once

#include <cstddef>

namespace neuralts::math {

/// C[M x N] = beta * C + A[M x K] B[K x N], beta 0 or 1. A's element (i, k) is a[i * a_row + k * a_col], so that A or its
/// transpose may be given; B and C have contiguous rows. Small and odd sizes welcome.
template <class T>
void gemm(std::size_t M, std::size_t N, std::size_t K, const T* a, std::size_t a_row, std::size_t a_col, const T* b, std::size_t ldb,
          T beta, T* c, std::size_t ldc);

template <class T>
T dot(std::size_t n, const T* x, const T* y);

/// y += a x
template <class T>
void axpy(std::size_t n, T a, const T* x, T* y);

/// sum_ij row[i] * col[j] * u[i * ldu + j]; rows whose weight is 0 are not read.
template <class T>
T bilinear(std::size_t rows, std::size_t cols, const T* row, const T* col, const T* u, std::size_t ldu);

}  // namespace neuralts::math
