#include "evaluate/inspector.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>

namespace neuralts::evaluation {

namespace {

// Weight bins: 0, then (0, 2^-6], (2^-6, 2^-5], ..., (2^19, 2^20], and above.
constexpr int lowest_power = -6, highest_power = 20;

std::vector<WeightBin> empty_bins() {
  std::vector<WeightBin> bins{{0, 0}};
  for (int power = lowest_power; power <= highest_power; ++power)
    bins.push_back({power == lowest_power ? 0 : std::ldexp(1, power - 1), std::ldexp(1, power)});
  bins.push_back({std::ldexp(1, highest_power), HUGE_VAL});
  return bins;
}

std::size_t bin_of(double weight) {
  if (weight <= 0) return 0;
  const int power = static_cast<int>(std::ceil(std::log2(weight)));
  return static_cast<std::size_t>(std::clamp(power - lowest_power, 0, highest_power - lowest_power + 1)) + 1;
}

}  // namespace

void MeanWeightTest::add(double weight, double expected, double most) {
  constexpr double depth = 6.9;  // ln 1000: the bets are laid out for p near 0.001
  const double stake = std::sqrt(2 * depth / (squares_ * std::log(2 + count_)));
  const double off = weight - expected;
  up_ += std::log1p(std::min(stake, 0.5) * off);  // off >= -1
  if (most > expected && std::isfinite(most)) down_ += std::log1p(-std::min(stake, 0.5 / (most - expected)) * off);
  highest_ = std::max({highest_, up_, down_});
  squares_ += off * off;
  count_ += 1;
}

double MeanWeightTest::p() const { return std::min(1.0, 2 * std::exp(-highest_)); }

Inspector::Inspector() : weights_(empty_bins()) {}

void Inspector::add(double weight, double unsupported, double most) {
  ++n_;
  sum_ += weight;
  squares_ += weight * weight;
  largest_ = std::max(largest_, weight);
  unsupported_ += unsupported;
  if (unsupported > 0) ++unsupported_events_;
  WeightBin& bin = weights_[bin_of(weight)];
  ++bin.events;
  bin.share += weight;
  test_.add(weight, 1 - unsupported, most);
}

void Inspector::add_logged(std::span<const double> probabilities, std::size_t arm) {
  for (std::size_t b = 0; b < probabilities.size(); ++b) {
    const double h = probabilities[b];
    Bin& bin = logged_[std::min(bins - 1, static_cast<std::size_t>(h * bins))];
    bin.actions += 1;
    bin.probability += h;
    bin.variance += h * (1 - h);
    bin.played += b == arm ? 1 : 0;
  }
}

Diagnostics Inspector::result() const {
  const double n = static_cast<double>(std::max<std::size_t>(1, n_));
  Diagnostics found{.n = n_,
                    .open = open_,
                    .ess = squares_ > 0 ? sum_ * sum_ / squares_ : 0,
                    .max_weight = largest_,
                    .mean_weight = sum_ / n,
                    .unsupported = unsupported_ / n,
                    .unsupported_events = static_cast<double>(unsupported_events_) / n,
                    .mean_weight_p = test_.p(),
                    .weights = weights_};
  for (auto& bin : found.weights) bin.share = sum_ > 0 ? bin.share / sum_ : 0;
  double chi = 0, degrees = 0;
  for (std::size_t i = 0; i < bins; ++i) {
    const Bin& bin = logged_[i];
    if (bin.actions == 0) continue;
    const double off = bin.played - bin.probability, z = bin.variance > 0 ? off / std::sqrt(bin.variance) : 0;
    if (bin.variance >= 5) chi += z * z, degrees += 1;  // below, the normal distribution is no guide
    found.calibration.push_back({static_cast<double>(i) / bins, static_cast<double>(i + 1) / bins,
                                 static_cast<std::size_t>(bin.actions), bin.probability / bin.actions,
                                 bin.played / bin.actions, z});
  }
  if (degrees > 0) found.calibration_p = cdf(complement(boost::math::chi_squared(degrees), chi));
  return found;
}

}  // namespace neuralts::evaluation
