// The inner loops as one would write them on a blackboard: what the fast ones must equal.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "neuralts/random.hpp"

namespace neuralts::naive {

template <class T>
std::vector<T> normals(std::size_t count, std::uint64_t seed) {
  Stream stream(seed, Purpose::theory);
  std::vector<T> v(count);
  for (auto& x : v) x = static_cast<T>(stream.normal());
  return v;
}

template <class T>
void gemm(std::size_t M, std::size_t N, std::size_t K, const T* a, std::size_t a_row, std::size_t a_col,
          const T* b, std::size_t ldb, T beta, T* c, std::size_t ldc) {
  for (std::size_t i = 0; i < M; ++i)
    for (std::size_t j = 0; j < N; ++j) {
      double sum = beta == 0 ? 0 : double(c[i * ldc + j]);
      for (std::size_t k = 0; k < K; ++k) sum += double(a[i * a_row + k * a_col]) * double(b[k * ldb + j]);
      c[i * ldc + j] = static_cast<T>(sum);
    }
}

template <class T>
double dot(std::size_t n, const T* x, const T* y) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += double(x[i]) * double(y[i]);
  return sum;
}

}  // namespace neuralts::naive
