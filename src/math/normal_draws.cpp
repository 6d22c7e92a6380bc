#include "math/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/normal_draws.cpp"
#include <hwy/foreach_target.h>

#include <hwy/contrib/math/math-inl.h>

#include <algorithm>

#include "math/normal_draws.hpp"
#include "math/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace neuralts::math::HWY_NAMESPACE {

using Floats = hn::ScalableTag<float>;
using Words = hn::RebindToUnsigned<Floats>;
using Word = hn::Vec<Words>;

// A bijection of 32 bits in which every bit in moves every bit out with a chance of one half (Wellons'
// triple32).
HWY_INLINE Word mixed(Words w, Word x) {
  x = hn::Mul(hn::Xor(x, hn::ShiftRight<17>(x)), hn::Set(w, 0xed5ad4bbu));
  x = hn::Mul(hn::Xor(x, hn::ShiftRight<11>(x)), hn::Set(w, 0xac4c1b51u));
  x = hn::Mul(hn::Xor(x, hn::ShiftRight<15>(x)), hn::Set(w, 0x31848babu));
  return hn::Xor(x, hn::ShiftRight<14>(x));
}

// In (0, 1], 24 bits.
HWY_INLINE hn::Vec<Floats> uniform(Words w, Word counter, std::uint64_t key) {
  const Word once = mixed(w, hn::Add(counter, hn::Set(w, static_cast<std::uint32_t>(key))));
  const Word bits =
      hn::ShiftRight<8>(mixed(w, hn::Xor(once, hn::Set(w, static_cast<std::uint32_t>(key >> 32)))));
  const hn::RebindToSigned<Floats> i;
  const Floats f;
  return hn::Mul(hn::Add(hn::ConvertTo(f, hn::BitCast(i, bits)), hn::Set(f, 1.0f)), hn::Set(f, 0x1p-24f));
}

void fill_normals(std::uint64_t key, float* out, std::size_t count) {
  const Floats f;
  const Words w;
  const std::size_t lanes = hn::Lanes(f);
  for (std::size_t at = 0, block = 0; at < count; at += 2 * lanes, ++block) {
    const Word counter = hn::Iota(w, static_cast<std::uint32_t>(2 * block * lanes));
    const auto u = uniform(w, counter, key),
               v = uniform(w, hn::Add(counter, hn::Set(w, static_cast<std::uint32_t>(lanes))), key);
    const auto radius = hn::Sqrt(hn::Mul(hn::Set(f, -2.0f), hn::Log(f, u))),
               angle = hn::Mul(hn::Set(f, 6.28318530718f), v);
    store_some(f, hn::Mul(radius, hn::Cos(f, angle)), out + at, std::min(lanes, count - at));
    if (at + lanes < count)
      store_some(f, hn::Mul(radius, hn::Sin(f, angle)), out + at + lanes,
                 std::min(lanes, count - at - lanes));
  }
}

}  // namespace neuralts::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace neuralts::math {

HWY_EXPORT(fill_normals);

void fill_normals(std::uint64_t key, std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(fill_normals)(key, out.data(), out.size());
}

}  // namespace neuralts::math
#endif
