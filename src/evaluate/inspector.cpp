#include "evaluate/inspector.hpp"

#include <Eigen/Eigenvalues>
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

void MeanWeightTest::add(double weight, double expected, double most, double copies) {
  constexpr double depth = 6.9;  // ln 1000: the bets are laid out for p near 0.001
  const double stake = std::sqrt(2 * depth / (squares_ * std::log(2 + count_)));
  const double off = copies * (weight - expected);
  up_ += std::log1p(std::min(stake, 0.5 / most_copies_) * off);  // off >= -most copies
  if (most > expected)
    down_ += std::log1p(-std::min(stake, 0.5 / (most_copies_ * (most - expected))) * off);
  highest_ = std::max({highest_, up_, down_});
  squares_ += off * off;
  count_ += 1;
}

double MeanWeightTest::p() const { return std::min(1.0, 2 * std::exp(-highest_)); }

Calibration::Calibration()
    : off_(Eigen::VectorXd::Zero(cells)), covariance_(Eigen::MatrixXd::Zero(cells, cells)), event_(Eigen::VectorXd::Zero(cells)) {}

void Calibration::add(std::span<const double> probabilities, std::size_t arm, double copies) {
  const auto touch = [&](std::size_t cell, double value) {
    if (event_[cell] == 0) touched_.push_back(cell);
    event_[cell] += value;
  };
  touched_.clear();
  for (std::size_t b = 0; b < probabilities.size(); ++b) {
    const double h = probabilities[b], played = b == arm ? 1 : 0;
    const std::size_t bin = std::min(by_probability - 1, static_cast<std::size_t>(h * by_probability)),
                      place = by_probability + std::min(by_position - 1, b);
    bins_[bin].actions += 1;
    bins_[bin].probability += h;
    bins_[bin].variance += h * (1 - h);
    bins_[bin].played += played;
    for (const std::size_t cell : {bin, place}) off_[cell] += copies * (played - h);
    if (copies == 1) {  // the covariance of one draw: diag(h) - h h', summed over cells
      covariance_(bin, bin) += h, covariance_(place, place) += h, covariance_(place, bin) += h;
      touch(bin, h), touch(place, h);
    } else {  // whether an event was kept may depend on what was played: what happened stands for its mean
      touch(bin, copies * (played - h)), touch(place, copies * (played - h));
    }
  }
  const double sign = copies == 1 ? -1 : 1;
  for (const std::size_t row : touched_)
    for (const std::size_t column : touched_)
      if (column <= row) covariance_(row, column) += sign * event_[row] * event_[column];
  for (const std::size_t cell : touched_) event_[cell] = 0;
}

std::vector<CalibrationBin> Calibration::bins() const {
  std::vector<CalibrationBin> found;
  for (std::size_t i = 0; i < by_probability; ++i) {
    const Bin& bin = bins_[i];
    if (bin.actions == 0) continue;
    const double off = bin.played - bin.probability, z = bin.variance > 0 ? off / std::sqrt(bin.variance) : 0;
    found.push_back({static_cast<double>(i) / by_probability, static_cast<double>(i + 1) / by_probability,
                     static_cast<std::size_t>(bin.actions), bin.probability / bin.actions, bin.played / bin.actions, z});
  }
  return found;
}

double Calibration::p() const {
  std::vector<Eigen::Index> told;  // in the others the normal distribution is no guide
  for (Eigen::Index cell = 0; cell < covariance_.rows(); ++cell)
    if (covariance_(cell, cell) >= 5) told.push_back(cell);
  if (told.empty()) return 1;
  const Eigen::VectorXd scale = covariance_.diagonal()(told).cwiseSqrt();
  const Eigen::MatrixXd whole = covariance_.selfadjointView<Eigen::Lower>();
  const Eigen::MatrixXd correlation = scale.cwiseInverse().asDiagonal() * whole(told, told) * scale.cwiseInverse().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> directions(correlation);
  const Eigen::VectorXd along = directions.eigenvectors().transpose() * off_(told).cwiseQuotient(scale);
  double chi = 0, degrees = 0;
  for (Eigen::Index i = 0; i < along.size(); ++i) {
    constexpr double nothing = 0.01;  // of a cell's variance: a direction that is the sum of the others, or nearly
    if (directions.eigenvalues()[i] < nothing) continue;
    chi += along[i] * along[i] / directions.eigenvalues()[i], degrees += 1;
  }
  return degrees > 0 ? cdf(complement(boost::math::chi_squared(degrees), chi)) : 1;
}

Inspector::Inspector(double most_copies) : weights_(empty_bins()), test_(most_copies) {}

void Inspector::add(double weight, double unsupported, double most, double copies) {
  test_.add(weight, 1 - unsupported, most, copies);
  weight *= copies, unsupported *= copies;
  ++n_;
  sum_ += weight;
  squares_ += weight * weight;
  largest_ = std::max(largest_, weight);
  unsupported_ += unsupported;
  if (unsupported > 0) ++unsupported_events_;
  WeightBin& bin = weights_[bin_of(weight)];
  ++bin.events;
  bin.share += weight;
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
                    .weights = weights_,
                    .calibration = logged_.bins(),
                    .calibration_p = logged_.p()};
  for (auto& bin : found.weights) bin.share = sum_ > 0 ? bin.share / sum_ : 0;
  return found;
}

}  // namespace neuralts::evaluation
