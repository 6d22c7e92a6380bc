// The inner loops at the sizes the networks use: products of a tile, layers, optimiser steps, training passes.
#include <benchmark/benchmark.h>

#include <vector>

#include "measure/training.hpp"
#include "math/layers.hpp"
#include "math/simd.hpp"

namespace {

using namespace neuralts;
using Numbers = std::vector<float>;

void count_operations(benchmark::State& state, double operations) {
  state.counters["FLOP/s"] = benchmark::Counter(operations, benchmark::Counter::kIsIterationInvariantRate);
}

// H[n x m] = X[n x d] W[d x m]: rows, columns, depth.
void forward(benchmark::State& state) {
  const auto n = std::size_t(state.range(0)), m = std::size_t(state.range(1)), d = std::size_t(state.range(2));
  const Numbers x(n * d, 0.5f), w(d * m, 0.5f);
  Numbers h(n * m);
  for (auto _ : state)
    math::gemm<float>(n, m, d, x.data(), d, 1, w.data(), m, 0, h.data(), m), benchmark::ClobberMemory();
  count_operations(state, 2.0 * double(n * m * d));
}
BENCHMARK(forward)->Args({64, 100, 22})->Args({64, 100, 784})->Args({64, 100, 100})->Args({1, 100, 784})->Args({64, 37, 22})->Args({1024, 1024, 1024});

// dW[d x m] += X'[d x n] Delta[n x m].
void backward(benchmark::State& state) {
  const auto n = std::size_t(state.range(0)), m = std::size_t(state.range(1)), d = std::size_t(state.range(2));
  const Numbers x(n * d, 0.5f), delta(n * m, 0.5f);
  Numbers w(d * m);
  for (auto _ : state)
    math::gemm<float>(d, m, n, x.data(), 1, d, delta.data(), m, 1, w.data(), m), benchmark::ClobberMemory();
  count_operations(state, 2.0 * double(n * m * d));
}
BENCHMARK(backward)->Args({64, 100, 22})->Args({64, 100, 784})->Args({64, 100, 100});

void rectify(benchmark::State& state) {
  const auto n = std::size_t(state.range(0)), m = std::size_t(state.range(1));
  Numbers rows(n * m, 0.5f);
  const Numbers bias(m, 0.1f);
  for (auto _ : state) math::rectify(n, m, bias.data(), rows.data()), benchmark::ClobberMemory();
  state.SetBytesProcessed(state.iterations() * std::int64_t(8 * n * m));
}
BENCHMARK(rectify)->Args({64, 100});

void adam(benchmark::State& state) {
  const auto p = std::size_t(state.range(0));
  Numbers theta(p, 1), grad(p, 0.1f), first(p), second(p, 1);
  for (auto _ : state)
    math::adam_step<float>(p, theta.data(), grad.data(), first.data(), second.data(), 1e-3f, 0.9f, 0.999f,
                           1e-8f, 0.1f, nullptr);
  state.SetBytesProcessed(state.iterations() * std::int64_t(28 * p));
}
BENCHMARK(adam)->Arg(4500)->Arg(784100);

void training(benchmark::State& state) {
  double rate = 0;
  for (auto _ : state)
    rate = bench::training_rate(std::size_t(state.range(0)), 100, std::size_t(state.range(1)), 0.2);
  state.counters["FLOP/s"] = 1e9 * rate;
}
BENCHMARK(training)->Args({22, 1000})->Args({784, 1000})->Iterations(1);

}  // namespace
