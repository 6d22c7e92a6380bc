// Letters: x a score, z = (x - center) / sigma, R(z) = (1 - cdf(z)) / pdf(z) Mills' ratio.
#include "math/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/normal_panel.cpp"
#include <hwy/foreach_target.h>

#include <array>
#include <numbers>

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

// exp(r) for |r| <= ln(2) / 2, fitted in the Chebyshev basis: relative error 2e-14.
constexpr std::array<double, 10> exponential = {
    1.0000000000000135,     1.0000000000000012,    0.4999999999943814,     0.16666666666615606,
    0.041666667040776455,   0.008333333367332008,  0.0013888801714761622,  0.00019841190615835852,
    2.4884476351591460e-05, 2.7632655759332031e-06};

// Vectors side by side: each sum of a polynomial waits for the one before, and another vector's need not.
inline constexpr std::size_t vectors = panel_nodes / hn::MaxLanes(Lanes());
inline constexpr std::size_t together = HWY_MIN(4, vectors);

// out[v] = polynomial in x[v], lowest coefficient first; even and odd powers side by side.
template <std::size_t V, std::size_t N>
HWY_INLINE void evaluate(Lanes d, const std::array<double, N>& coefficients, const Vec (&x)[V], Vec (&out)[V]) {
  constexpr std::size_t odd = N - 1 - N % 2, even = N - 2 + N % 2;  // the highest powers of each kind
  Vec square[V], other[V];
  HWY_UNROLL(8)
  for (std::size_t v = 0; v < V; ++v) {
    square[v] = hn::Mul(x[v], x[v]);
    out[v] = hn::Set(d, coefficients[even]);
    other[v] = hn::Set(d, coefficients[odd]);
  }
  for (std::size_t i = even; i >= 2; i -= 2)
    HWY_UNROLL(8)
    for (std::size_t v = 0; v < V; ++v) out[v] = hn::MulAdd(out[v], square[v], hn::Set(d, coefficients[i - 2]));
  for (std::size_t i = odd; i >= 3; i -= 2)
    HWY_UNROLL(8)
    for (std::size_t v = 0; v < V; ++v) other[v] = hn::MulAdd(other[v], square[v], hn::Set(d, coefficients[i - 2]));
  HWY_UNROLL(8)
  for (std::size_t v = 0; v < V; ++v) out[v] = hn::MulAdd(other[v], x[v], out[v]);
}

// exp(x) for -700 <= x <= 0.
template <std::size_t V>
HWY_INLINE void exponentials(Lanes d, const Vec (&x)[V], Vec (&out)[V]) {
  const hn::RebindToUnsigned<Lanes> bits;
  const Vec whole = hn::Set(d, 0x1.8p52);  // added to a number it leaves its whole part in the lowest bits
  Vec power[V], rest[V];
  HWY_UNROLL(8)
  for (std::size_t v = 0; v < V; ++v) {
    power[v] = hn::MulAdd(x[v], hn::Set(d, std::numbers::log2e), whole);
    rest[v] = hn::NegMulAdd(hn::Sub(power[v], whole), hn::Set(d, std::numbers::ln2), x[v]);
  }
  evaluate(d, exponential, rest, out);
  HWY_UNROLL(8)
  for (std::size_t v = 0; v < V; ++v) {
    const auto exponent = hn::ShiftLeft<52>(hn::BitCast(bits, power[v]));
    out[v] = hn::BitCast(d, hn::Add(hn::BitCast(bits, out[v]), exponent));
  }
}

template <std::size_t V>
HWY_INLINE void normal(Lanes d, const Vec (&z)[V], Vec (&pdf)[V], Vec (&cdf)[V]) {
  const Vec four = hn::Set(d, 4.0);
  Vec t[V], ratio[V];
  HWY_UNROLL(8)
  for (std::size_t v = 0; v < V; ++v) {
    const Vec size = hn::Abs(z[v]);
    t[v] = hn::Div(hn::Sub(size, four), hn::Add(size, four));
  }
  evaluate(d, mills, t, ratio);
  Vec power[V];
  HWY_UNROLL(8)
  for (std::size_t v = 0; v < V; ++v) power[v] = hn::Mul(hn::Mul(hn::Set(d, -0.5), z[v]), z[v]);
  exponentials(d, power, pdf);
  HWY_UNROLL(8)
  for (std::size_t v = 0; v < V; ++v) {
    pdf[v] = hn::Mul(pdf[v], hn::Set(d, inverse_sqrt_two_pi));
    const Vec tail = hn::Mul(pdf[v], ratio[v]);
    cdf[v] = hn::IfThenElse(hn::Lt(z[v], hn::Zero(d)), tail, hn::Sub(hn::Set(d, 1.0), tail));
  }
}

// Of every arm and node: its cdf, and its pdf times the cdfs of the arms before it. Returns the product of all cdfs
// at the lowest node.
double scan(const NormalArms& arms, const double* x, ArmAtNodes* out) {
  constexpr std::size_t lanes = hn::MaxLanes(Lanes());
  const Lanes d;
  double lowest = 1;
  for (std::size_t i = 0; i < panel_nodes; i += together * lanes) {
    Vec before[together];
    HWY_UNROLL(8)
    for (Vec& one : before) one = hn::Set(d, 1.0);
    for (std::size_t j = 0; j < arms.center.size(); ++j) {
      const Vec center = hn::Set(d, arms.center[j]), inverse = hn::Set(d, arms.inverse[j]);
      Vec z[together], pdf[together], cdf[together];
      HWY_UNROLL(8)
      for (std::size_t v = 0; v < together; ++v)
        z[v] = hn::Mul(hn::Sub(hn::Load(d, x + i + v * lanes), center), inverse);
      normal(d, z, pdf, cdf);
      HWY_UNROLL(8)
      for (std::size_t v = 0; v < together; ++v) {
        hn::StoreU(hn::Mul(hn::Mul(pdf[v], inverse), before[v]), d, out[j].led + i + v * lanes);
        hn::StoreU(cdf[v], d, out[j].cdf + i + v * lanes);
        before[v] = hn::Mul(before[v], cdf[v]);
      }
    }
    if (i == 0) lowest = hn::GetLane(before[0]);
  }
  return lowest;
}

// From the last arm to the first, so that the cdfs of the arms behind are at hand: no quotient is taken.
void gather(std::span<const ArmAtNodes> arms, const double* weights, double* mass) {
  constexpr std::size_t lanes = hn::MaxLanes(Lanes());
  const Lanes d;
  Vec behind[vectors];
  HWY_UNROLL(8)
  for (std::size_t v = 0; v < vectors; ++v) behind[v] = hn::Load(d, weights + v * lanes);
  for (std::size_t j = arms.size(); j-- > 0;) {
    Vec total = hn::Zero(d), other = hn::Zero(d);
    HWY_UNROLL(8)
    for (std::size_t v = 0; v < vectors; ++v) {
      Vec& sum = v % 2 == 0 ? total : other;
      sum = hn::MulAdd(hn::LoadU(d, arms[j].led + v * lanes), behind[v], sum);
      behind[v] = hn::Mul(behind[v], hn::LoadU(d, arms[j].cdf + v * lanes));
    }
    mass[j] += sum(d, hn::Add(total, other));
  }
}

double add_panel(const NormalArms& arms, double bottom, double top, ArmAtNodes* at_nodes, double* mass) {
  alignas(128) double x[panel_nodes], weights[panel_nodes];
  const double middle = 0.5 * (bottom + top), half = 0.5 * (top - bottom);
  for (std::size_t i = 0; i < panel_nodes; ++i) {
    x[i] = middle + half * node[i];
    weights[i] = half * weight[i];
  }
  const double lowest = scan(arms, x, at_nodes);
  gather({at_nodes, arms.center.size()}, weights, mass);
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

double add_panel(const NormalArms& arms, double bottom, double top, std::span<ArmAtNodes> working,
                 std::span<double> mass) {
  return HWY_DYNAMIC_DISPATCH(add_panel)(arms, bottom, top, working.data(), mass.data());
}

double panel_cdf(double z) {
  return HWY_DYNAMIC_DISPATCH(panel_cdf)(z);
}

}  // namespace neuralts::math
#endif
