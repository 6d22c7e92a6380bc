// The loops over plain arrays: sums of products, and the optimisers' steps over all parameters.
#include "math/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/loops.cpp"
#include <hwy/foreach_target.h>

#include <cstddef>

#include "math/simd.hpp"
#include "math/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace neuralts::math::HWY_NAMESPACE {

// Sum of x y, lane by lane: four sums in flight hide the latency of the multiply-add.
template <class D, class T>
HWY_INLINE hn::VFromD<D> dot_lanes(D d, std::size_t n, const T* HWY_RESTRICT x, const T* HWY_RESTRICT y) {
  const std::size_t lanes = hn::Lanes(d);
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  std::size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    s0 = hn::MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), s0);
    s1 = hn::MulAdd(hn::LoadU(d, x + i + lanes), hn::LoadU(d, y + i + lanes), s1);
    s2 = hn::MulAdd(hn::LoadU(d, x + i + 2 * lanes), hn::LoadU(d, y + i + 2 * lanes), s2);
    s3 = hn::MulAdd(hn::LoadU(d, x + i + 3 * lanes), hn::LoadU(d, y + i + 3 * lanes), s3);
  }
  for (; i + lanes <= n; i += lanes) s0 = hn::MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), s0);
  if (i < n) s1 = hn::MulAdd(load_first(d, x + i, n - i), load_first(d, y + i, n - i), s1);
  return hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
}

template <class T>
T dot_here(std::size_t n, const T* x, const T* y) {
  const hn::ScalableTag<T> d;
  return sum(d, dot_lanes(d, n, x, y));
}

template <class T>
void axpy_here(std::size_t n, T a, const T* HWY_RESTRICT x, T* HWY_RESTRICT y) {
  const hn::ScalableTag<T> d;
  const auto weight = hn::Set(d, a);
  std::size_t i = 0;
  for (const std::size_t lanes = hn::Lanes(d); i + lanes <= n; i += lanes)
    hn::StoreU(hn::MulAdd(weight, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, y + i);
  if (i < n)
    store_first(d, hn::MulAdd(weight, load_first(d, x + i, n - i), load_first(d, y + i, n - i)), y + i,
                n - i);
}

template <class T>
T bilinear_here(std::size_t rows, std::size_t cols, const T* row, const T* col, const T* u, std::size_t ldu) {
  const hn::ScalableTag<T> d;
  auto total = hn::Zero(d);
  for (std::size_t i = 0; i < rows; ++i)
    if (row[i] != 0) total = hn::MulAdd(hn::Set(d, row[i]), dot_lanes(d, cols, col, u + i * ldu), total);
  return sum(d, total);
}

// A tile's rows, three vectors of them at a time, stay in registers while its columns pass by. `begin` makes the first sums,
// `add` adds a column's numbers, given what belongs to the column, and `end` is given the sums; both with where they stand.
template <class D, class T, class Begin, class Add, class End>
HWY_INLINE void walk_tile(D d, std::size_t cols, const T* HWY_RESTRICT v, const T* HWY_RESTRICT tile, const Begin& begin,
                          const Add& add, const End& end) {
  constexpr std::size_t height = tile_height, vectors = hn::MaxLanes(d) * 3 <= height ? 3 : 1;
  static_assert(height % (vectors * hn::MaxLanes(d)) == 0);
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t at = 0; at < height; at += vectors * lanes) {
    hn::VFromD<D> sums[vectors];
#pragma GCC unroll 4
    for (std::size_t i = 0; i < vectors; ++i) sums[i] = begin(at + i * lanes);
    for (std::size_t c = 0; c < cols; ++c) {
      const auto of_column = hn::Set(d, v[c]);
#pragma GCC unroll 4
      for (std::size_t i = 0; i < vectors; ++i)
        sums[i] = add(of_column, hn::LoadU(d, tile + c * height + at + i * lanes), sums[i]);
    }
#pragma GCC unroll 4
    for (std::size_t i = 0; i < vectors; ++i) end(at + i * lanes, sums[i]);
  }
}

template <class T>
void multiply_tiles_here(std::size_t count, std::size_t cols, const T* v, const T* tiles, T* y) {
  const hn::ScalableTag<T> d;
  using V = hn::VFromD<decltype(d)>;
  for (std::size_t s = 0; s < count; ++s, tiles += cols * tile_height, y += tile_height)
    walk_tile(
        d, cols, v, tiles, [&](std::size_t at) HWY_ATTR { return hn::LoadU(d, y + at); },
        [](V weight, V numbers, V sum) HWY_ATTR { return hn::MulAdd(weight, numbers, sum); },
        [&](std::size_t at, V sum) HWY_ATTR { hn::StoreU(sum, d, y + at); });
}

template <class T>
bool tile_distances_here(std::size_t cols, const T* x, const T* tile, T limit, T* out) {
  const hn::ScalableTag<T> d;
  using V = hn::VFromD<decltype(d)>;
  auto nearest = hn::Set(d, limit);
  walk_tile(
      d, cols, x, tile, [&](std::size_t) HWY_ATTR { return hn::Zero(d); },
      [](V of_point, V numbers, V sum) HWY_ATTR {
        const V apart = hn::Sub(of_point, numbers);
        return hn::MulAdd(apart, apart, sum);
      },
      [&](std::size_t at, V sum) HWY_ATTR {
        hn::StoreU(sum, d, out + at);
        nearest = hn::Min(nearest, sum);
      });
  return !hn::AllFalse(d, hn::Lt(nearest, hn::Set(d, limit)));
}

// The decayed gradient of a vector's worth of parameters.
template <class V>
HWY_INLINE V pulled(V theta, V grad, V anchor, V decay) {
  return hn::MulAdd(decay, hn::Sub(theta, anchor), grad);
}

template <class D, class T>
HWY_INLINE hn::VFromD<D> load_anchor(D d, const T* anchor, std::size_t i, std::size_t n) {
  return anchor == nullptr ? hn::Zero(d) : load_some(d, anchor + i, n);
}

// Where no gradient comes a moment dies away, and on its last way to 0 it would be a denormal number, which a
// processor is slow with.
template <class D>
HWY_INLINE hn::VFromD<D> faded(D d, hn::VFromD<D> moment) {
  return hn::IfThenElseZero(hn::Ge(hn::Abs(moment), hn::Set(d, hn::TFromD<D>(1e-35))), moment);
}

template <class T>
struct Adam {
  T *theta, *m1, *m2;
  const T *grad, *anchor;
  T step, beta1, beta2, eps, decay;

  template <class D>
  HWY_INLINE void operator()(D d, std::size_t i, std::size_t n) const {
    const auto t = load_some(d, theta + i, n);
    const auto g = pulled(t, load_some(d, grad + i, n), load_anchor(d, anchor, i, n), hn::Set(d, decay));
    const auto first = faded(
        d, hn::MulAdd(hn::Set(d, beta1), load_some(d, m1 + i, n), hn::Mul(hn::Set(d, 1 - beta1), g)));
    const auto second = faded(d, hn::MulAdd(hn::Set(d, beta2), load_some(d, m2 + i, n),
                                            hn::Mul(hn::Set(d, 1 - beta2), hn::Mul(g, g))));
    store_some(d, first, m1 + i, n);
    store_some(d, second, m2 + i, n);
    const auto direction = hn::Div(first, hn::Add(hn::Sqrt(second), hn::Set(d, eps)));
    store_some(d, hn::NegMulAdd(hn::Set(d, step), direction, t), theta + i, n);
  }
};

template <class T>
struct Descent {
  T* theta;
  const T *grad, *anchor;
  T step, decay;

  template <class D>
  HWY_INLINE void operator()(D d, std::size_t i, std::size_t n) const {
    const auto t = load_some(d, theta + i, n);
    const auto g = pulled(t, load_some(d, grad + i, n), load_anchor(d, anchor, i, n), hn::Set(d, decay));
    store_some(d, hn::NegMulAdd(hn::Set(d, step), g, t), theta + i, n);
  }
};

template <class T>
struct Momentum {
  T *theta, *velocity;
  const T *grad, *anchor;
  T step, beta, decay;

  template <class D>
  HWY_INLINE void operator()(D d, std::size_t i, std::size_t n) const {
    const auto t = load_some(d, theta + i, n);
    const auto g = pulled(t, load_some(d, grad + i, n), load_anchor(d, anchor, i, n), hn::Set(d, decay));
    const auto v = hn::MulAdd(hn::Set(d, beta), load_some(d, velocity + i, n), g);
    store_some(d, v, velocity + i, n);
    store_some(d, hn::NegMulAdd(hn::Set(d, step), v, t), theta + i, n);
  }
};

#define NEURALTS_LOOPS(T)                                                                                                          \
  T dot_##T(std::size_t n, const T* x, const T* y) { return dot_here(n, x, y); }                                                   \
  void axpy_##T(std::size_t n, T a, const T* x, T* y) { axpy_here(n, a, x, y); }                                                   \
  T bilinear_##T(std::size_t rows, std::size_t cols, const T* row, const T* col, const T* u, std::size_t ldu) {                    \
    return bilinear_here(rows, cols, row, col, u, ldu);                                                                            \
  }                                                                                                                                \
  void multiply_tiles_##T(std::size_t count, std::size_t cols, const T* v, const T* tiles, T* y) {                                 \
    multiply_tiles_here(count, cols, v, tiles, y);                                                                                 \
  }                                                                                                                                \
  bool tile_distances_##T(std::size_t cols, const T* x, const T* tile, T limit, T* out) {                                          \
    return tile_distances_here(cols, x, tile, limit, out);                                                                         \
  }                                                                                                                                \
  void adam_##T(std::size_t n, T* theta, const T* grad, T* m1, T* m2, T step, T beta1, T beta2, T eps, T decay, const T* anchor) { \
    for_each_vector<T>(n, Adam<T>{theta, m1, m2, grad, anchor, step, beta1, beta2, eps, decay});                                   \
  }                                                                                                                                \
  void descent_##T(std::size_t n, T* theta, const T* grad, T step, T decay, const T* anchor) {                                     \
    for_each_vector<T>(n, Descent<T>{theta, grad, anchor, step, decay});                                                           \
  }                                                                                                                                \
  void momentum_##T(std::size_t n, T* theta, const T* grad, T* velocity, T step, T beta, T decay, const T* anchor) {               \
    for_each_vector<T>(n, Momentum<T>{theta, velocity, grad, anchor, step, beta, decay});                                          \
  }
NEURALTS_LOOPS(float)
NEURALTS_LOOPS(double)
#undef NEURALTS_LOOPS

}  // namespace neuralts::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace neuralts::math {

#define NEURALTS_DISPATCH(T)                                                                                                        \
  HWY_EXPORT(dot_##T);                                                                                                              \
  HWY_EXPORT(axpy_##T);                                                                                                             \
  HWY_EXPORT(bilinear_##T);                                                                                                         \
  HWY_EXPORT(multiply_tiles_##T);                                                                                                   \
  HWY_EXPORT(tile_distances_##T);                                                                                                   \
  HWY_EXPORT(adam_##T);                                                                                                             \
  HWY_EXPORT(descent_##T);                                                                                                          \
  HWY_EXPORT(momentum_##T);                                                                                                         \
  template <>                                                                                                                       \
  T dot(std::size_t n, const T* x, const T* y) {                                                                                    \
    return HWY_DYNAMIC_DISPATCH(dot_##T)(n, x, y);                                                                                  \
  }                                                                                                                                 \
  template <>                                                                                                                       \
  void axpy(std::size_t n, T a, const T* x, T* y) {                                                                                 \
    HWY_DYNAMIC_DISPATCH(axpy_##T)(n, a, x, y);                                                                                     \
  }                                                                                                                                 \
  template <>                                                                                                                       \
  T bilinear(std::size_t rows, std::size_t cols, const T* row, const T* col, const T* u, std::size_t ldu) {                         \
    return HWY_DYNAMIC_DISPATCH(bilinear_##T)(rows, cols, row, col, u, ldu);                                                        \
  }                                                                                                                                 \
  template <>                                                                                                                       \
  void multiply_tiles(std::size_t count, std::size_t cols, const T* v, const T* tiles, T* y) {                                      \
    HWY_DYNAMIC_DISPATCH(multiply_tiles_##T)(count, cols, v, tiles, y);                                                             \
  }                                                                                                                                 \
  template <>                                                                                                                       \
  bool tile_distances(std::size_t cols, const T* x, const T* tile, T limit, T* out) {                                               \
    return HWY_DYNAMIC_DISPATCH(tile_distances_##T)(cols, x, tile, limit, out);                                                     \
  }                                                                                                                                 \
  template <>                                                                                                                       \
  void adam_step(std::size_t n, T* theta, const T* grad, T* m1, T* m2, T step, T beta1, T beta2, T eps, T decay, const T* anchor) { \
    HWY_DYNAMIC_DISPATCH(adam_##T)(n, theta, grad, m1, m2, step, beta1, beta2, eps, decay, anchor);                                 \
  }                                                                                                                                 \
  template <>                                                                                                                       \
  void descent_step(std::size_t n, T* theta, const T* grad, T step, T decay, const T* anchor) {                                     \
    HWY_DYNAMIC_DISPATCH(descent_##T)(n, theta, grad, step, decay, anchor);                                                         \
  }                                                                                                                                 \
  template <>                                                                                                                       \
  void momentum_step(std::size_t n, T* theta, const T* grad, T* velocity, T step, T beta, T decay, const T* anchor) {               \
    HWY_DYNAMIC_DISPATCH(momentum_##T)(n, theta, grad, velocity, step, beta, decay, anchor);                                        \
  }
NEURALTS_DISPATCH(float)
NEURALTS_DISPATCH(double)
#undef NEURALTS_DISPATCH

}  // namespace neuralts::math
#endif
