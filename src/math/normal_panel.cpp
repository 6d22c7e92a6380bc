// Letters: x a score, z = (x - center) / sigma, R(z) = (1 - cdf(z)) / pdf(z) Mills' ratio.
#include "math/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/normal_panel.cpp"
#include <hwy/foreach_target.h>

#include <hwy/contrib/math/math-inl.h>

#include <array>

#include "math/normal_panel.hpp"
#include "math/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace neuralts::math::HWY_NAMESPACE {

using Lanes = hn::CappedTag<double, panel_nodes>;
using Vec = hn::Vec<Lanes>;

constexpr double inverse_sqrt_two_pi = 0.3989422804014326779;

// Gauss-Legendre on [-1, 1], lowest node first.
constexpr std::array<double, panel_nodes> node = {
    -0.98940093499164994, -0.9445750230732326,  -0.86563120238783176, -0.755404408355003,
    -0.61787624440264377, -0.45801677765722737, -0.28160355077925892, -0.095012509837637454,
    0.095012509837637454, 0.28160355077925892,  0.45801677765722737,  0.61787624440264377,
    0.755404408355003,    0.86563120238783176,  0.9445750230732326,   0.98940093499164994};
constexpr std::array<double, panel_nodes> weight = {
    0.027152459411754037, 0.062253523938647706, 0.095158511682492591, 0.12462897125553403,
    0.14959598881657676,  0.16915651939500262,  0.18260341504492361,  0.18945061045506859,
    0.18945061045506859,  0.18260341504492361,  0.16915651939500262,  0.14959598881657676,
    0.12462897125553403,  0.095158511682492591, 0.062253523938647706, 0.027152459411754037};

// R(z) as a polynomial in t = (z - 4) / (z + 4), fitted in the Chebyshev basis on 0 <= z <= 14: relative error
// 2e-12.
constexpr std::array<double, 15> mills = {
    0.23665238291365162,     -0.42712374677547277,    0.3117725582057577,    -0.17974381407084636,
    0.07736659067687296,     -0.021286539996042617,   0.0012722672156053772, 0.0016013868176920053,
    -0.00046914610065065484, -0.00011470643664441816, 7.138619848934993e-05, 1.2682325272648451e-05,
    -9.446434317099187e-06,  -2.7425417233130475e-06, 6.39645075021976e-08};

// Vectors side by side: each sum of a polynomial waits for the one before, and another vector's need not.
inline constexpr std::size_t together = HWY_MIN(4, panel_nodes / hn::MaxLanes(Lanes()));

template <std::size_t V>
HWY_INLINE void normal(Lanes d, const Vec (&z)[V], Vec (&pdf)[V], Vec (&cdf)[V]) {
  const Vec four = hn::Set(d, 4.0);
  Vec t[V], ratio[V];
  HWY_UNROLL(4)
  for (std::size_t v = 0; v < V; ++v) {
    const Vec size = hn::Abs(z[v]);
    t[v] = hn::Div(hn::Sub(size, four), hn::Add(size, four));
    ratio[v] = hn::Set(d, mills.back());
  }
  for (std::size_t i = mills.size() - 1; i-- > 0;)
    HWY_UNROLL(4)
    for (std::size_t v = 0; v < V; ++v) ratio[v] = hn::MulAdd(ratio[v], t[v], hn::Set(d, mills[i]));
  HWY_UNROLL(4)
  for (std::size_t v = 0; v < V; ++v) {
    const Vec power = hn::Mul(hn::Set(d, -0.5), hn::Mul(z[v], z[v]));
    pdf[v] = hn::Mul(hn::Exp(d, power), hn::Set(d, inverse_sqrt_two_pi));
    const Vec tail = hn::Mul(pdf[v], ratio[v]);
    cdf[v] = hn::IfThenElse(hn::Lt(z[v], hn::Zero(d)), tail, hn::Sub(hn::Set(d, 1.0), tail));
  }
}

// Every arm's pdf / cdf into `hazard`, the product of all cdfs into `product`.
void scan(const NormalArms& arms, const double* x, double* hazard, double* product) {
  constexpr std::size_t lanes = hn::MaxLanes(Lanes());
  const Lanes d;
  for (std::size_t i = 0; i < panel_nodes; i += together * lanes) {
    Vec all[together];
    HWY_UNROLL(4)
    for (Vec& one : all) one = hn::Set(d, 1.0);
    for (std::size_t j = 0; j < arms.center.size(); ++j) {
      const Vec center = hn::Set(d, arms.center[j]), inverse = hn::Set(d, arms.inverse[j]);
      double* const out = hazard + j * panel_nodes + i;
      Vec z[together], pdf[together], cdf[together];
      HWY_UNROLL(4)
      for (std::size_t v = 0; v < together; ++v)
        z[v] = hn::Mul(hn::Sub(hn::Load(d, x + i + v * lanes), center), inverse);
      normal(d, z, pdf, cdf);
      HWY_UNROLL(4)
      for (std::size_t v = 0; v < together; ++v) {
        hn::StoreU(hn::Div(hn::Mul(pdf[v], inverse), cdf[v]), d, out + v * lanes);
        all[v] = hn::Mul(all[v], cdf[v]);
      }
    }
    HWY_UNROLL(4)
    for (std::size_t v = 0; v < together; ++v) hn::Store(all[v], d, product + i + v * lanes);
  }
}

double add_panel(const NormalArms& arms, double bottom, double top, double* hazard, double* mass) {
  alignas(128) double x[panel_nodes], product[panel_nodes];
  const double middle = 0.5 * (bottom + top), half = 0.5 * (top - bottom);
  for (std::size_t i = 0; i < panel_nodes; ++i) x[i] = middle + half * node[i];
  scan(arms, x, hazard, product);
  const double lowest = product[0];
  for (std::size_t i = 0; i < panel_nodes; ++i) product[i] *= half * weight[i];
  const Lanes d;
  for (std::size_t j = 0; j < arms.center.size(); ++j) {
    Vec total = hn::Zero(d);
    for (std::size_t i = 0; i < panel_nodes; i += hn::Lanes(d))
      total = hn::MulAdd(hn::Load(d, product + i), hn::LoadU(d, hazard + j * panel_nodes + i), total);
    mass[j] += sum(d, total);
  }
  return lowest;
}

double panel_cdf(double z) {
  const Vec at[1] = {hn::Set(Lanes(), z)};
  Vec pdf[1], cdf[1];
  normal(Lanes(), at, pdf, cdf);
  return hn::GetLane(cdf[0]);
}

}  // namespace neuralts::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace neuralts::math {

HWY_EXPORT(add_panel);
HWY_EXPORT(panel_cdf);

double add_panel(const NormalArms& arms, double bottom, double top, std::span<double> hazard,
                 std::span<double> mass) {
  return HWY_DYNAMIC_DISPATCH(add_panel)(arms, bottom, top, hazard.data(), mass.data());
}

double panel_cdf(double z) {
  return HWY_DYNAMIC_DISPATCH(panel_cdf)(z);
}

}  // namespace neuralts::math
#endif
