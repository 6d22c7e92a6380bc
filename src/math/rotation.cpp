#include "math/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/rotation.cpp"
#include <hwy/foreach_target.h>

#include "math/rotation.hpp"
#include "math/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace neuralts::math::HWY_NAMESPACE {

void rotate(std::size_t n, double c, double s, double* HWY_RESTRICT x, double* HWY_RESTRICT y) {
  for_each_vector<double>(n, [=](auto d, std::size_t i, std::size_t count) HWY_ATTR {
    const auto cosine = hn::Set(d, c), sine = hn::Set(d, s), u = load_some(d, x + i, count), v = load_some(d, y + i, count);
    store_some(d, hn::MulAdd(cosine, u, hn::Mul(sine, v)), x + i, count);
    store_some(d, hn::NegMulAdd(sine, u, hn::Mul(cosine, v)), y + i, count);
  });
}

}  // namespace neuralts::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace neuralts::math {

HWY_EXPORT(rotate);

void rotate(std::size_t n, double c, double s, double* x, double* y) { HWY_DYNAMIC_DISPATCH(rotate)(n, c, s, x, y); }

}  // namespace neuralts::math
#endif
