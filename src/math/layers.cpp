#include "math/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/layers.cpp"
#include <hwy/foreach_target.h>

#include "math/layers.hpp"
#include "math/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace neuralts::math::HWY_NAMESPACE {

template <class T>
void rectify_here(std::size_t n, std::size_t m, const T* HWY_RESTRICT bias, T* HWY_RESTRICT rows) {
  if (bias == nullptr)
    return for_each_vector<T>(n * m, [=](auto d, std::size_t i, std::size_t count) HWY_ATTR {
      store_some(d, hn::Max(load_some(d, rows + i, count), hn::Zero(d)), rows + i, count);
    });
  for (std::size_t r = 0; r < n; ++r, rows += m)
    for_each_vector<T>(m, [=](auto d, std::size_t j, std::size_t count) HWY_ATTR {
      store_some(d,
                 hn::Max(hn::Add(load_some(d, rows + j, count), load_some(d, bias + j, count)), hn::Zero(d)),
                 rows + j, count);
    });
}

template <class T>
void send_back_here(std::size_t n, std::size_t m, const T* weights, T scale, const T* HWY_RESTRICT last,
                    const T* HWY_RESTRICT activations, T* HWY_RESTRICT signals) {
  for (std::size_t r = 0; r < n; ++r, activations += m, signals += m) {
    const T factor = weights == nullptr ? scale : weights[r] * scale;
    for_each_vector<T>(m, [=](auto d, std::size_t j, std::size_t count) HWY_ATTR {
      const auto active = hn::Gt(load_some(d, activations + j, count), hn::Zero(d));
      store_some(d, hn::IfThenElseZero(active, hn::Mul(hn::Set(d, factor), load_some(d, last + j, count))),
                 signals + j, count);
    });
  }
}

template <class T>
void keep_active_here(std::size_t size, const T* HWY_RESTRICT activations, T* HWY_RESTRICT signals) {
  for_each_vector<T>(size, [=](auto d, std::size_t i, std::size_t count) HWY_ATTR {
    const auto active = hn::Gt(load_some(d, activations + i, count), hn::Zero(d));
    store_some(d, hn::IfThenElseZero(active, load_some(d, signals + i, count)), signals + i, count);
  });
}

template <class T>
void add_weighted_squares_here(std::size_t n, std::size_t m, T factor, const T* HWY_RESTRICT rows,
                               const T* HWY_RESTRICT weights, const T* HWY_RESTRICT shared,
                               T* HWY_RESTRICT out) {
  for (std::size_t r = 0; r < n; ++r, rows += m) {
    auto total = hn::Zero(hn::ScalableTag<T>());
    for_each_vector<T>(m, [&](auto d, std::size_t j, std::size_t count) HWY_ATTR {
      const auto x = load_some(d, rows + j, count);
      auto weight = shared == nullptr ? hn::Zero(d) : load_some(d, shared + j, count);
      if (weights != nullptr) weight = hn::Add(weight, load_some(d, weights + r * m + j, count));
      total = hn::MulAdd(hn::Mul(x, x), weight, total);
    });
    out[r] += factor * sum(hn::ScalableTag<T>(), total);
  }
}

#define NEURALTS_LAYERS(T)                                                                                                       \
  void rectify_##T(std::size_t n, std::size_t m, const T* bias, T* rows) { rectify_here(n, m, bias, rows); }                     \
  void send_back_##T(std::size_t n, std::size_t m, const T* weights, T scale, const T* last, const T* activations, T* signals) { \
    send_back_here(n, m, weights, scale, last, activations, signals);                                                            \
  }                                                                                                                              \
  void keep_active_##T(std::size_t size, const T* activations, T* signals) { keep_active_here(size, activations, signals); }     \
  void add_weighted_squares_##T(std::size_t n, std::size_t m, T factor, const T* rows, const T* weights, const T* shared,        \
                                T* out) {                                                                                        \
    add_weighted_squares_here(n, m, factor, rows, weights, shared, out);                                                         \
  }
NEURALTS_LAYERS(float)
NEURALTS_LAYERS(double)
#undef NEURALTS_LAYERS

}  // namespace neuralts::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace neuralts::math {

#define NEURALTS_DISPATCH(T)                                                                                                 \
  HWY_EXPORT(rectify_##T);                                                                                                   \
  HWY_EXPORT(send_back_##T);                                                                                                 \
  HWY_EXPORT(add_weighted_squares_##T);                                                                                      \
  HWY_EXPORT(keep_active_##T);                                                                                               \
  template <>                                                                                                                \
  void rectify(std::size_t n, std::size_t m, const T* bias, T* rows) {                                                       \
    HWY_DYNAMIC_DISPATCH(rectify_##T)(n, m, bias, rows);                                                                     \
  }                                                                                                                          \
  template <>                                                                                                                \
  void send_back(std::size_t n, std::size_t m, const T* weights, T scale, const T* last, const T* activations, T* signals) { \
    HWY_DYNAMIC_DISPATCH(send_back_##T)(n, m, weights, scale, last, activations, signals);                                   \
  }                                                                                                                          \
  template <>                                                                                                                \
  void keep_active(std::size_t size, const T* activations, T* signals) {                                                     \
    HWY_DYNAMIC_DISPATCH(keep_active_##T)(size, activations, signals);                                                       \
  }                                                                                                                          \
  template <>                                                                                                                \
  void add_weighted_squares(std::size_t n, std::size_t m, T factor, const T* rows, const T* weights, const T* shared,        \
                            T* out) {                                                                                        \
    HWY_DYNAMIC_DISPATCH(add_weighted_squares_##T)(n, m, factor, rows, weights, shared, out);                                \
  }
NEURALTS_DISPATCH(float)
NEURALTS_DISPATCH(double)
#undef NEURALTS_DISPATCH

}  // namespace neuralts::math
#endif
