#include "math/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/columns.cpp"
#include <hwy/foreach_target.h>

#include <type_traits>

#include "math/columns.hpp"
#include "math/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace neuralts::math::HWY_NAMESPACE {

template <class T>
void standardise_here(std::size_t n, const double* HWY_RESTRICT x, const double* HWY_RESTRICT mean,
                      const double* HWY_RESTRICT scale, double limit, T* HWY_RESTRICT out) {
  for_each_vector<double>(n, [=](auto d, std::size_t i, std::size_t count) HWY_ATTR {
    const auto most = hn::Set(d, limit), least = hn::Set(d, -limit), zero = hn::Zero(d);
    const auto deviation = hn::Sub(load_some(d, x + i, count), load_some(d, mean + i, count)),
               factor = load_some(d, scale + i, count);
    const auto unknown = hn::IfThenElse(hn::Gt(deviation, zero), most,
                                        hn::IfThenElseZero(hn::Lt(deviation, zero), least));
    auto value = hn::IfThenElse(hn::Gt(factor, zero), hn::Mul(deviation, factor), unknown);
    value = hn::IfThenElse(hn::Lt(value, least), least, value);
    value = hn::IfThenElse(hn::Gt(value, most), most, value);
    if constexpr (std::is_same_v<T, float>) {
      const hn::Rebind<float, decltype(d)> narrow;
      store_some(narrow, hn::DemoteTo(narrow, value), out + i, count);
    } else {
      store_some(d, value, out + i, count);
    }
  });
}

void standardise_float(std::size_t n, const double* x, const double* mean, const double* scale, double limit,
                       float* out) {
  standardise_here(n, x, mean, scale, limit, out);
}
void standardise_double(std::size_t n, const double* x, const double* mean, const double* scale, double limit,
                        double* out) {
  standardise_here(n, x, mean, scale, limit, out);
}

}  // namespace neuralts::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace neuralts::math {

HWY_EXPORT(standardise_float);
HWY_EXPORT(standardise_double);

template <>
void standardise(std::size_t n, const double* x, const double* mean, const double* scale, double limit,
                 float* out) {
  HWY_DYNAMIC_DISPATCH(standardise_float)(n, x, mean, scale, limit, out);
}
template <>
void standardise(std::size_t n, const double* x, const double* mean, const double* scale, double limit,
                 double* out) {
  HWY_DYNAMIC_DISPATCH(standardise_double)(n, x, mean, scale, limit, out);
}

}  // namespace neuralts::math
#endif
