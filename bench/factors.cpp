// The exact posteriors' factors: solving, growing, updating.
#include <benchmark/benchmark.h>

#include <vector>

#include "math/arrow_inverse.hpp"
#include "math/growing_cholesky.hpp"

namespace {

using namespace neuralts;

math::GrowingCholesky<float> grown(std::size_t n) {
  math::GrowingCholesky<float> factor;
  const std::vector<float> row(n, 1e-4f);
  while (factor.size() < n) factor.append(row.data(), 1, 1);
  return factor;
}

// n rows, k right sides; bytes: L read once.
void growing_solve(benchmark::State& state) {
  const auto n = std::size_t(state.range(0)), k = std::size_t(state.range(1));
  const auto factor = grown(n);
  std::vector<float> z(k * n, 1);
  for (auto _ : state) factor.solve(k, z.data(), n), benchmark::ClobberMemory();
  state.SetBytesProcessed(state.iterations() * std::int64_t(2 * n * n));
}
BENCHMARK(growing_solve)->ArgsProduct({{200, 1000, 5000}, {1, 2, 10, 100}});

void growing_solve_transposed(benchmark::State& state) {
  const auto n = std::size_t(state.range(0));
  const auto factor = grown(n);
  std::vector<float> x(n, 1);
  for (auto _ : state) factor.solve_transposed(x.data()), benchmark::ClobberMemory();
  state.SetBytesProcessed(state.iterations() * std::int64_t(2 * n * n));
}
BENCHMARK(growing_solve_transposed)->Arg(1000)->Arg(5000);

// Two blocks of b, tail of q, n vectors in turn, half of their groups of 22 zeros; bytes: the block read once.
std::vector<float> features(std::size_t n, std::size_t b, std::size_t q) {
  std::vector<float> v(n * (b + q), 1e-3f);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < b; ++j)
      if (j / 22 % 2 == i % 2) v[i * (b + q) + j] = 0;
  return v;
}
template <bool add>
void arrow(benchmark::State& state) {
  const auto b = std::size_t(state.range(0)), q = std::size_t(state.range(1)), n = std::size_t(state.range(2));
  math::ArrowInverse<float> arrow({2, b, q, 22}, 1);
  const auto v = features(n, b, q);
  std::vector<std::uint32_t> blocks(n);
  for (std::size_t i = 0; i < n; ++i) blocks[i] = std::uint32_t(i % 2);
  for (std::size_t i = 0; i < arrow.batch; ++i) arrow.add(n, blocks.data(), v.data(), b + q);
  std::vector<float> work(arrow.work(n));
  std::vector<double> out(n);
  for (auto _ : state)
    add ? arrow.add(n, blocks.data(), v.data(), b + q)
        : arrow.quadratic(n, blocks.data(), v.data(), b + q, work.data(), out.data());
  state.SetBytesProcessed(state.iterations() * std::int64_t(n * 4 * (b * b / 2 + b * q)));
}
BENCHMARK(arrow<true>)->Name("arrow_add")->Args({2200, 201, 1})->Args({2200, 201, 16});
BENCHMARK(arrow<false>)->Name("arrow_quadratic")->Args({2200, 201, 1})->Args({2200, 201, 2})->Args({2200, 201, 16});

}  // namespace
