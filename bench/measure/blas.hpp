// The one door to a BLAS: the machine's limit is measured with somebody else's product where one is installed.
// It is opened at run time, so that nothing needs it to be built.
#pragma once

#include <cstddef>
#include <string>

namespace neuralts::bench {

class Blas {
 public:
  /// The first there is of MKL, OpenBLAS and BLIS, on one thread; without any, the project's own product.
  static const Blas& best();

  /// Whose it is: "OpenBLAS 0.3.21", or "own product".
  const std::string& name() const { return name_; }
  bool foreign() const { return sgemm_ != nullptr; }
  /// C (m x n) = A B, row-major and dense; A is m x k, or k x m when `transposed`.
  void product(bool transposed, std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b,
               float* c) const;

 private:
  Blas();
  using Sgemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                         const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);

  std::string name_ = "own product";
  Sgemm sgemm_ = nullptr;
};

}  // namespace neuralts::bench
