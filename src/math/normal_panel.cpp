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

struct PdfCdf {
  Vec pdf, cdf;
};

HWY_INLINE PdfCdf normal(Lanes d, Vec z) {
  const Vec four = hn::Set(d, 4.0), size = hn::Abs(z);
  const Vec t = hn::Div(hn::Sub(size, four), hn::Add(size, four));
  Vec ratio = hn::Set(d, mills.back());
  for (std::size_t i = mills.size() - 1; i-- > 0;) ratio = hn::MulAdd(ratio, t, hn::Set(d, mills[i]));
  const Vec pdf = hn::Mul(hn::Exp(d, hn::Mul(hn::Set(d, -0.5), hn::Mul(z, z))), hn::Set(d, inverse_sqrt_two_pi));
  const Vec tail = hn::Mul(pdf, ratio);
  return {pdf, hn::IfThenElse(hn::Lt(z, hn::Zero(d)), tail, hn::Sub(hn::Set(d, 1.0), tail))};
}

// Every arm's pdf / cdf into `hazard`, the product of all cdfs into `product`.
void scan(const NormalArms& arms, const double* x, double* hazard, double* product) {
  const Lanes d;
  for (std::size_t i = 0; i < panel_nodes; i += hn::Lanes(d)) {
    const Vec at = hn::Load(d, x + i);
    Vec all = hn::Set(d, 1.0);
    for (std::size_t j = 0; j < arms.center.size(); ++j) {
      const Vec inverse = hn::Set(d, arms.inverse[j]);
      const PdfCdf arm = normal(d, hn::Mul(hn::Sub(at, hn::Set(d, arms.center[j])), inverse));
      hn::StoreU(hn::Div(hn::Mul(arm.pdf, inverse), arm.cdf), d, hazard + j * panel_nodes + i);
      all = hn::Mul(all, arm.cdf);
    }
    hn::Store(all, d, product + i);
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
  return hn::GetLane(normal(Lanes(), hn::Set(Lanes(), z)).cdf);
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
