// The inner loops, for float and double, on plain arrays. The vector width is chosen at run time (gemm.cpp,
// loops.cpp).
//
// Letters: all matrices row-major; `ld*` is the distance between rows. No pointer may alias an output.
// Same machine, same call: same bytes. Different vector widths sum in a different order.
#pragma once

#include <cstddef>

namespace neuralts::math {

/// C[M x N] = beta * C + A[M x K] B[K x N], beta 0 or 1. A's element (i, k) is a[i * a_row + k * a_col], so
/// that A or its transpose may be given; B and C have contiguous rows. Small and odd sizes welcome. With beta
/// 0, C is not read. With M = 1, rows of B that meet a 0 are not read.
template <class T>
void gemm(std::size_t M, std::size_t N, std::size_t K, const T* a, std::size_t a_row, std::size_t a_col,
          const T* b, std::size_t ldb, T beta, T* c, std::size_t ldc);

template <class T>
T dot(std::size_t n, const T* x, const T* y);

/// C[M x N] = A[M x K] B[N x K]': every row of A meets every row of B.
template <class T>
void dots(std::size_t M, std::size_t N, std::size_t K, const T* a, std::size_t lda, const T* b,
          std::size_t ldb, T* c, std::size_t ldc);

/// y += a x
template <class T>
void axpy(std::size_t n, T a, const T* x, T* y);

/// sum_ij row[i] * col[j] * u[i * ldu + j]; rows whose weight is 0 are not read.
template <class T>
T bilinear(std::size_t rows, std::size_t cols, const T* row, const T* col, const T* u, std::size_t ldu);

/// Rows of a tile: three vectors of 16, the widest panel of gemm.cpp.
inline constexpr std::size_t tile_height = 48;
/// y[h s + r] += sum_c v[c] tiles[(s * cols + c) * h + r] for s < count, r < h = tile_height: one vector times
/// tiles that stand one below the other.
template <class T>
void multiply_tiles(std::size_t count, std::size_t cols, const T* v, const T* tiles, T* y);

/// out[r] = sum_c (x[c] - tile[c * h + r])^2 for r < h: how far a point is from those of a tile, squared. Whether one of them
/// is nearer than `limit`.
template <class T>
bool tile_distances(std::size_t cols, const T* x, const T* tile, T limit, T* out);

/// One step of Adam with decay towards `anchor` (null: towards 0), over all parameters in one pass. With
/// g = grad + decay (theta - anchor):
///   m1 = beta1 m1 + (1 - beta1) g;   m2 = beta2 m2 + (1 - beta2) g^2;   theta -= step m1 / (sqrt(m2) + eps)
/// Bias corrections belong to the caller: step = eta sqrt(1 - beta2^t) / (1 - beta1^t), eps = epsilon sqrt(1 -
/// beta2^t).
template <class T>
void adam_step(std::size_t n, T* theta, const T* grad, T* m1, T* m2, T step, T beta1, T beta2, T eps, T decay,
               const T* anchor);

/// One step of gradient descent with the same decay:   theta -= step g
template <class T>
void descent_step(std::size_t n, T* theta, const T* grad, T step, T decay, const T* anchor);

/// One heavy-ball step with the same decay:
///   velocity = beta velocity + g;   theta -= step velocity
template <class T>
void momentum_step(std::size_t n, T* theta, const T* grad, T* velocity, T step, T beta, T decay, const T* anchor);

}  // namespace neuralts::math
