// The machine's limits, by the best product at hand, and our own large product: blocked and packed as a library
// for large matrices does it, around the register tiles that the networks' small products use.
#include <vector>

#include "measure/bench.hpp"
#include "measure/blas.hpp"
#include "measure/clock.hpp"
#include "math/simd.hpp"

namespace neuralts::bench {

namespace {

constexpr std::size_t size = 1024;
// Of a packed piece: B's piece stays in the second-level cache.
constexpr std::size_t depth = 256, rows = 128, columns = 96;

// The h x w corner of `from` (distance size) as a matrix of its own.
void pack(std::size_t h, std::size_t w, const float* from, float* to) {
  for (std::size_t i = 0; i < h; ++i) std::copy_n(from + i * size, w, to + i * w);
}

void sgemm(const float* a, const float* b, float* c) {
  static std::vector<float> a_piece(size * depth), b_piece(depth * columns);
  for (std::size_t k = 0; k < size; k += depth) {
    pack(size, depth, a + k, a_piece.data());
    for (std::size_t j = 0; j < size; j += columns) {
      const std::size_t width = std::min(columns, size - j);
      pack(depth, width, b + k * size + j, b_piece.data());
      for (std::size_t i = 0; i < size; i += rows)
        math::gemm<float>(rows, width, depth, a_piece.data() + i * depth, depth, 1, b_piece.data(), width,
                          k == 0 ? 0.0f : 1.0f, c + i * size + j, size);
    }
  }
}

constexpr double operations = 2.0 * size * size * size;

double own_rate(double budget) {
  const std::vector<float> a(size * size, 0.5f), b(size * size, 0.25f);
  std::vector<float> c(size * size);
  const double packed = fastest(budget, [&] { sgemm(a.data(), b.data(), c.data()); });
  const double plain = fastest(budget, [&] {
    math::gemm<float>(size, size, size, a.data(), size, 1, b.data(), size, 0, c.data(), size);
  });
  return operations / std::min(packed, plain) / 1e9;
}

double library_rate(double budget) {
  const std::vector<float> a(size * size, 0.5f), b(size * size, 0.25f);
  std::vector<float> c(size * size);
  const double seconds = fastest(
      budget, [&] { Blas::best().product(false, size, size, size, a.data(), b.data(), c.data()); });
  return operations / seconds / 1e9;
}

double read_rate(double budget) {
  constexpr std::size_t count = std::size_t{1} << 26;
  const std::vector<float> numbers(count, 1.0f);
  volatile float sink = 0;
  const double seconds = fastest(
      budget, [&] { sink = math::dot(count / 2, numbers.data(), numbers.data() + count / 2); });
  return count * sizeof(float) / seconds / 1e9;
}

}  // namespace

double product_rate(std::size_t d, std::size_t m, std::size_t n, double budget) {
  const std::vector<float> x(n * d, 0.5f), weights(d * m, 0.25f), signals(n * m, 0.125f);
  std::vector<float> outputs(n * m), gradient(d * m);
  const double seconds = fastest(budget, [&] {
    Blas::best().product(false, n, m, d, x.data(), weights.data(), outputs.data());
    Blas::best().product(true, d, m, n, x.data(), signals.data(), gradient.data());
  });
  return 4.0 * static_cast<double>(n * d * m) / seconds / 1e9;
}

Machine measure_machine(bool quick) {
  const double budget = quick ? 0.3 : 1.5, own = own_rate(budget);
  return {.product_by = Blas::best().name(),
          .sgemm = Blas::best().foreign() ? library_rate(budget) : own,
          .own_sgemm = own,
          .bandwidth = read_rate(budget)};
}

}  // namespace neuralts::bench
