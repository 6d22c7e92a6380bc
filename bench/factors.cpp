// The exact posteriors' factors: solving, growing, updating.
#include <benchmark/benchmark.h>

#include <vector>

#include "math/arrow_cholesky.hpp"
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

// Blocks of b, tail of q, B vectors of one block; bytes: the block read (and written) once.
template <bool update>
void arrow(benchmark::State& state) {
  const auto b = std::size_t(state.range(0)), q = std::size_t(state.range(1)), B = std::size_t(state.range(2));
  math::ArrowCholesky<float> factor(2, b, q, 1);
  const std::vector<float> fresh(B * (b + q), 1e-3f);
  const std::vector<std::uint32_t> blocks(B, 0);
  auto v = fresh;
  factor.update(B, blocks.data(), v.data(), b + q);
  for (auto _ : state) {
    v = fresh;
    update ? factor.update(B, blocks.data(), v.data(), b + q) : factor.whiten(B, blocks.data(), v.data(), b + q);
  }
  state.SetBytesProcessed(state.iterations() * std::int64_t((update ? 8 : 4) * (b * b / 2 + b * q)));
}
BENCHMARK(arrow<true>)->Name("arrow_update")->Args({2200, 100, 1})->Args({2200, 100, 4})->Args({2200, 100, 16});
BENCHMARK(arrow<false>)->Name("arrow_whiten")->Args({2200, 100, 1})->Args({2200, 100, 2})->Args({2200, 100, 16});

}  // namespace
