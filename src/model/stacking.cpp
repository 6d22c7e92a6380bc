#include "model/stacking.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace neuralts {

namespace {

constexpr std::size_t n = Stacking::forecasters;
using Matrix = std::array<Stacking::Numbers, n>;

// Rounds in which all forecast one standard deviation and the network alone was right; few, since they cost
// where it is not. Without them a line that happens to be good where it has led plays on, and the network never
// sees what would show it better.
constexpr double imagined = 1;
// Gains in variances of the noise, of which chance makes one: whoever has so much is believed by half.
// A network is believed sooner where arms have weights of their own, and fewer rounds each: held as a curve is, it
// learns the data sets later.
constexpr double constant_gain = 1, line_gain = 1, curve_gain = 4, bends_gain = 4, neighbours_gain = 4,
                 network_gain = 4, network_gain_of_arms = 1;
constexpr double worth_asking = 0.1;  // how far neighbours are heard
// In the first rounds they learn an arm's constant sooner than the constant does, who waits for more of them.
constexpr double matter_gain = 16;
constexpr double least_noise = 0.05, early_rounds = 10;  // of the rewards' variance; in which all was noise
constexpr unsigned smooth = 1u << Stacking::line | 1u << Stacking::curve, bent = smooth | 1u << Stacking::bends,
                   exact = bent | 1u << Stacking::neighbours, all_but_the_constant = exact | 1u << Stacking::network,
                   everybody = all_but_the_constant | 1u << Stacking::constant;
constexpr double assumed_rounds = 2.0 / 3;  // for each weight of the curve: then the line is assumed by half
constexpr double open_rounds = 50, half_open = 200;
constexpr double least_followed = 0.5;

// The solution of A w = b over the forecasters in `subset`, 0 elsewhere. REQUIRES A positive definite.
Stacking::Numbers solve(Matrix a, Stacking::Numbers b, unsigned subset) {
  const auto used = [&](std::size_t i) { return (subset >> i & 1) != 0; };
  Stacking::Numbers w{};
  for (std::size_t i = 0; i < n; ++i) {
    if (!used(i)) continue;
    for (std::size_t j = i + 1; j < n; ++j) {
      if (!used(j)) continue;
      const double factor = a[j][i] / a[i][i];
      for (std::size_t k = i; k < n; ++k) a[j][k] -= factor * a[i][k];
      b[j] -= factor * b[i];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    if (!used(i)) continue;
    w[i] = b[i];
    for (std::size_t j = i + 1; j < n; ++j) w[i] -= a[i][j] * w[j];
    w[i] /= a[i][i];
  }
  return w;
}

// Least squares under w >= 0 over the forecasters of `among`: the best of all its subsets whose solution is not
// negative.
Stacking::Numbers not_negative_solution(const Matrix& a, const Stacking::Numbers& b, unsigned among) {
  Stacking::Numbers best{};
  double gain = 0;  // of b.w, twice what the squared error has fallen by
  for (unsigned subset = 1; subset <= among; ++subset) {
    if ((subset & ~among) != 0) continue;
    const auto w = solve(a, b, subset);
    double found = 0;
    for (std::size_t i = 0; i < n; ++i) found += b[i] * w[i];
    if (found > gain && *std::min_element(w.begin(), w.end()) >= 0) best = w, gain = found;
  }
  return best;
}

double total(const Stacking::Numbers& all) { return std::accumulate(all.begin(), all.end(), 0.0); }

}  // namespace

double Stacking::said(const Numbers& weights, const Numbers& forecasts) {
  return std::inner_product(weights.begin(), weights.end(), forecasts.begin(), 0.0);
}

double Stacking::evident(double gain, double half) {
  const double ratio = std::max(0.0, gain) / half;
  return ratio * ratio / (1 + ratio * ratio);
}

Stacking::Numbers Stacking::mixed(const Numbers& first, const Numbers& second, double part) {
  Numbers out;
  for (std::size_t i = 0; i < n; ++i) out[i] = part * first[i] + (1 - part) * second[i];
  return out;
}

void Stacking::count(const Numbers& forecasts, double reward) {
  ++rounds_;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) products_[i][j] = keep * products_[i][j] + forecasts[i] * forecasts[j];
    rewards_[i] = keep * rewards_[i] + forecasts[i] * reward;
    forecast_sums_[i] = keep * forecast_sums_[i] + forecasts[i];
  }
  reward_sum_ = keep * reward_sum_ + reward;
  recent_ = keep * recent_ + 1;
}

void Stacking::rescale(double factor, double shift) {
  std::array<bool, n> said;
  for (std::size_t i = 0; i < n; ++i) said[i] = products_[i][i] > 0;
  const auto product = [&](double sum, double one, double other) {
    return factor * factor * sum + factor * shift * (one + other) + shift * shift * recent_;
  };
  for (std::size_t i = 0; i < n; ++i) {
    if (!said[i]) continue;
    for (std::size_t j = 0; j < n; ++j)
      if (said[j]) products_[i][j] = product(products_[i][j], forecast_sums_[i], forecast_sums_[j]);
    rewards_[i] = product(rewards_[i], forecast_sums_[i], reward_sum_);
  }
  for (std::size_t i = 0; i < n; ++i)
    if (said[i]) forecast_sums_[i] = factor * forecast_sums_[i] + shift * recent_;
  reward_sum_ = factor * reward_sum_ + shift * recent_;
}

Stacking::Numbers Stacking::regression(unsigned among, Forecaster speaks_for) const {
  Matrix a = products_;
  Numbers b = rewards_;
  for (std::size_t i = 0; i < n; ++i) a[i][i] += imagined;
  b[speaks_for] += imagined;
  for (std::size_t i = 0; i < n; ++i)
    if (!(products_[i][i] > 0) && i != speaks_for) among &= ~(1u << i);
  return not_negative_solution(a, b, among);
}

double Stacking::gain(const Numbers& weights) const {
  double out = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double told = said(weights, products_[i]);
    out += weights[i] * (2 * rewards_[i] - told);
  }
  return out;
}

double Stacking::noise_at(double gain) const { return std::max(least_noise, 1 - gain / (recent_ + early_rounds)); }

Stacking::Numbers Stacking::regression() const {
  const Heard heard = this->heard();
  const Numbers believed = regression(everybody, network, heard), by_contexts = regression_by_contexts(heard);
  // A part of it is no sign that contexts do not matter: where an arm was chosen, its mean is right on average.
  if (believed[constant] <= total(believed) / 2) return by_contexts;
  const double of_constant = gain_of(constant);
  return mixed(believed, by_contexts, evident(of_constant, noise_at(of_constant) * constant_gain));
}

Stacking::Numbers Stacking::regression(unsigned among, Forecaster speaks_for, const Heard& heard) const {
  const auto with_bends = [&](unsigned some) {
    const Numbers without = regression(some & ~(1u << bends), speaks_for);
    return heard.bends > 0 ? mixed(regression(some, speaks_for), without, heard.bends) : without;
  };
  const Numbers without = with_bends(among & ~(1u << neighbours));
  return heard.neighbours > 0 ? mixed(with_bends(among), without, heard.neighbours) : without;
}

Stacking::Numbers Stacking::line_and_curve(double noise) const {
  const Numbers straight = regression(1u << line, line), curved = regression(smooth, shared_weights_ ? curve : line);
  const double of_line = gain(straight), leads = shared_weights_ ? line_leads(of_line, noise) : 1,
               bent = evident(gain(curved) - of_line, noise * curve_gain);
  return mixed(curved, straight, 1 - leads * (1 - bent));
}

double Stacking::line_leads(double gain, double noise) const {
  const double few = assumed_rounds * curve_weights_,
               doubted = rounds_ * rounds_ / (rounds_ * rounds_ + few * few);
  return 1 - doubted * (1 - evident(gain, noise * line_gain));
}

Stacking::Numbers Stacking::exact_ones(double noise, const Heard& heard) const {
  Numbers out = line_and_curve(noise);
  if (heard.bends > 0) out = mixed(regression(bent, line), out, heard.bends);
  if (heard.neighbours > 0)
    out = mixed(regression(exact, line, {.bends = heard.bends, .neighbours = 1}), out, heard.neighbours);
  return out;
}

auto Stacking::heard() const -> Heard {
  Heard out;
  if (!spoke(bends) && !spoke(neighbours)) return out;
  const double noise = noise_at(gain(regression(all_but_the_constant & ~(1u << neighbours), network)));
  const auto better = [&](const Numbers& with, double half) {
    return evident(gain(with) - gain(exact_ones(noise, out)), noise * half);
  };
  if (spoke(bends)) out.bends = better(regression(bent, line), bends_gain);
  if (!spoke(neighbours)) return out;
  const double evidence = better(regression(exact, line), neighbours_gain);
  if (evidence > worth_asking) out.neighbours = evidence;
  return out;
}

Stacking::Numbers Stacking::regression_by_contexts(const Heard& heard) const {
  const Numbers all = regression(all_but_the_constant, network, heard);
  if (!spoke(curve) && (shared_weights_ || !spoke(line))) return all;
  const double of_all = gain(all), noise = noise_at(of_all),
               of_network = shared_weights_ ? network_gain : network_gain_of_arms;
  const Numbers without = exact_ones(noise, heard);
  return mixed(all, without, evident(of_all - gain(without), noise * of_network));
}

double Stacking::contexts_matter() const {
  const double of_contexts = gain(regression(all_but_the_constant, line, heard())), of_constant = gain_of(constant);
  return evident(of_contexts - of_constant, noise_at(of_contexts) * matter_gain);
}

Stacking::Numbers Stacking::Mixture::weights() const {
  Numbers out = shares;
  for (double& weight : out) weight *= followed;
  return out;
}

Stacking::Mixture Stacking::mixture() const {
  Numbers shares = regression();
  const double sum = total(shares),
               followed = shared_weights_ && !spoke(curve) ? std::clamp(sum, least_followed, 1.0) : 1;
  if (sum > 0)
    for (double& share : shares) share /= sum;
  else
    shares = {}, shares[network] = 1;
  return {shares, followed, opened(shares)};
}

Stacking::Numbers Stacking::opened(Numbers shares) const {
  const auto open = [&](std::size_t i) { return products_[i][i] > 0 && i != neighbours; };
  double present = 0;
  for (std::size_t i = 0; i < n; ++i) present += open(i);
  if (present == 0) return shares;
  for (std::size_t i = 0; i < n; ++i)
    shares[i] = ((open(i) ? open_rounds / present : 0) + rounds_ * shares[i]) / (open_rounds + rounds_);
  return shares;
}

double Stacking::openness() const { return half_open / (half_open + rounds_); }
double Stacking::rounds_at(double openness) { return half_open / openness - half_open; }

void Stacking::save(Writer& out) const {
  out.value(rounds_);
  for (const auto& row : products_)
    for (const double sum : row) out.value(sum);
  for (const auto* sums : {&rewards_, &forecast_sums_})
    for (const double sum : *sums) out.value(sum);
  out.value(reward_sum_);
  out.value(recent_);
}

bool Stacking::in_file(std::size_t forecaster, const Reader& in) {
  if (forecaster == neighbours) return in.version() >= neighbours_since;
  return forecaster != bends || in.version() >= bends_since;
}

Stacking::Numbers Stacking::read(Reader& in) {
  Numbers out{};
  for (std::size_t i = 0; i < n; ++i)
    if (in_file(i, in)) out[i] = in.value<double>();
  return out;
}

void Stacking::load(Reader& in) {
  rounds_ = in.value<double>();
  for (std::size_t i = 0; i < n; ++i) products_[i] = in_file(i, in) ? read(in) : Numbers{};
  for (auto* sums : {&rewards_, &forecast_sums_}) *sums = read(in);
  reward_sum_ = in.value<double>();
  recent_ = in.value<double>();
}

}  // namespace neuralts
