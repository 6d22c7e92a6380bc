#include "math/simd.hpp"

namespace neuralts::math {

template <class T>
void gemm(std::size_t M, std::size_t N, std::size_t K, const T* a, std::size_t a_row, std::size_t a_col, const T* b, std::size_t ldb,
          T beta, T* c, std::size_t ldc) {
  for (std::size_t i = 0; i < M; ++i) {
    T* row = c + i * ldc;
    for (std::size_t j = 0; j < N; ++j) row[j] = beta == 0 ? 0 : beta * row[j];
    for (std::size_t k = 0; k < K; ++k) axpy(N, a[i * a_row + k * a_col], b + k * ldb, row);
  }
}

template <class T>
T dot(std::size_t n, const T* x, const T* y) {
  T sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

template <class T>
void axpy(std::size_t n, T a, const T* x, T* y) {
  for (std::size_t i = 0; i < n; ++i) y[i] += a * x[i];
}

template <class T>
T bilinear(std::size_t rows, std::size_t cols, const T* row, const T* col, const T* u, std::size_t ldu) {
  T sum = 0;
  for (std::size_t i = 0; i < rows; ++i)
    if (row[i] != 0) sum += row[i] * dot(cols, col, u + i * ldu);
  return sum;
}

#define NEURALTS_INSTANTIATE(T)                                                                                                      \
  template void gemm<T>(std::size_t, std::size_t, std::size_t, const T*, std::size_t, std::size_t, const T*, std::size_t, T, T*, \
                        std::size_t);                                                                                                \
  template T dot<T>(std::size_t, const T*, const T*);                                                                               \
  template void axpy<T>(std::size_t, T, const T*, T*);                                                                              \
  template T bilinear<T>(std::size_t, std::size_t, const T*, const T*, const T*, std::size_t);
NEURALTS_INSTANTIATE(float)
NEURALTS_INSTANTIATE(double)
#undef NEURALTS_INSTANTIATE

}  // namespace neuralts::math
