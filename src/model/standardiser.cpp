#include "model/standardiser.hpp"

#include <algorithm>
#include <cmath>

#include "math/columns.hpp"

namespace neuralts {

namespace {

// Of a column's numbers, of the rewards. A reward far from all others is what one looks for.
constexpr Outliers wild_inputs{.share = 0.01, .codes = true}, wild_rewards{.share = 0.002};
constexpr std::size_t enough_rows = 4096;                   // tell a scale to about a percent

// Rounds from which on fitting anew when they have doubled is enough.
constexpr std::size_t well_known = 1000;
// Rounds from which on it is done only where the statistics have moved,.
constexpr std::size_t settled = 16384;
// By so many standard deviations, or such a share of one.
constexpr double far_moved = 0.1;

// What `number` says of (block, row), for every row whose turn it is under a stride, into `column`.
template <class T, class Number>
void collect(const History<T>& history, const RoundWeights<T>& weights, SpreadSample& column, Number&& number) {
  const std::size_t stride = (history.size() + enough_rows - 1) / enough_rows;
  std::size_t row = 0;  // the next one's number from the start of a block on
  column.clear();
  for (std::size_t k = 0; k < history.blocks().size(); row -= history.blocks()[k++].rows())
    for (; row < history.blocks()[k].rows(); row += stride) {
      const auto value = static_cast<double>(number(history.blocks()[k], row));
      if (weights.empty()) column.add(value);
      else column.add(value, static_cast<double>(weights[k][row]));
    }
}

// What a column's numbers are multiplied by, `length` being the root of the number of columns; 0: they never
// varied.
double factor_of(const Spread& spread, double length) { return spread.scale > 0 ? 1 / (spread.scale * length) : 0; }

// Differences that are all alike and large have lost digits.
bool far_off(const Spread& spread) { return std::abs(spread.centre) > 1000 * spread.scale && spread.centre != 0; }

}  // namespace

template <class T>
void Scaling<T>::map(std::span<const double> x, T* out) const {
  if (mean_.empty()) {
    T* const end = std::transform(x.begin(), x.end(), out, [](double value) { return static_cast<T>(value); });
    if (x.size() < d_) *end = 1;
    return;
  }
  math::standardise(x.size(), x.data(), mean_.data(), scale_.data(), limit_, out);
  const double absent = 0;
  if (x.size() < d_) math::standardise(1, &absent, &mean_.back(), &scale_.back(), limit_, out + x.size());
}

template <class T>
void Scaling<T>::map_difference(std::span<const T> row, std::span<const double> origin, T* out) const {
  if (mean_.empty())
    for (std::size_t i = 0; i < d_; ++i) out[i] = static_cast<T>(static_cast<double>(row[i]) + origin[i]);
  else
    for (std::size_t i = 0; i < d_; ++i)
      out[i] = static_cast<T>(bounded(static_cast<double>(row[i]) - (mean_[i] - origin[i]), scale_[i], limit_));
}

// A number that differs where none ever did is new: as far away as the limit allows. The sign, which no
// processor can foretell, is asked for only there.
template <class T>
double Scaling<T>::bounded(double deviation, double scale, double limit) {
  if (scale > 0) return std::clamp(deviation * scale, -limit, limit);
  return deviation > 0 ? limit : deviation < 0 ? -limit : 0.0;
}

// Where rewards never differed their unit is unknown: the first that does is one unit away, whatever it is in theirs.
template <class T>
T Scaling<T>::map_reward(double reward) const {
  if (!rewards_vary()) return static_cast<T>((reward > reward_mean_) - (reward < reward_mean_));
  const double standard = (reward - reward_mean_) / reward_scale_;
  return static_cast<T>(reward_limit_ > 0 ? std::clamp(standard, -reward_limit_, reward_limit_) : standard);
}

template <class T>
Batch<T> Scaling<T>::map(const Contexts& contexts, Scratch& scratch) const {
  const std::size_t n = contexts.arms(), d = d_, rows = contexts.shared() ? 1 : n;
  const auto blocks = scratch.take<std::uint32_t>(n);
  const auto x = scratch.take<T>(rows * d);
  for (std::size_t k = 0; k < n; ++k) blocks[k] = static_cast<std::uint32_t>(contexts[k].block);
  for (std::size_t r = 0; r < rows; ++r) map(contexts[r].values, x.data() + r * d);
  return {n, x.data(), contexts.shared() ? 0 : d, blocks.data()};
}

template <class T>
bool Scaling<T>::varies() const {
  return scale_.empty() || std::any_of(scale_.begin(), scale_.end(), [](double scale) { return scale > 0; });
}

template <class T>
void Scaling<T>::scale_inputs(std::vector<double> mean, std::vector<double> scale, double limit) {
  mean_ = std::move(mean);
  scale_ = std::move(scale);
  limit_ = limit;
}

template <class T>
void Scaling<T>::scale_rewards(double mean, double scale, double limit) {
  reward_mean_ = mean;
  reward_slope_ = scale;
  reward_scale_ = scale > 0 ? scale : 1;
  reward_limit_ = limit;
}

template <class T>
void Scaling<T>::save(Writer& out) const {
  out.values(mean_);
  out.values(scale_);
  for (const double value : {limit_, reward_mean_, reward_scale_, reward_slope_, reward_limit_}) out.value(value);
}

template <class T>
void Scaling<T>::load(Reader& in) {
  mean_ = in.values<double>();
  if (!mean_.empty() && mean_.size() != d_) in.fail();
  scale_ = in.values<double>(mean_.size());
  for (double* value : {&limit_, &reward_mean_, &reward_scale_, &reward_slope_, &reward_limit_})
    *value = in.value<double>();
}

template <class T>
void Standardiser<T>::restart() {
  count_ = fitted_ = looked_ = 0;
  origin_.clear();
  origin_.reserve(d_ + 1);  // observe() cannot fail
  scaling_ = Scaling<T>(d_);
  if (settings_.inputs) scaling_.hide_inputs();
}

template <class T>
void Standardiser<T>::difference(std::span<const double> x, std::span<double> out) const {
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] - origin_[i];
  if (x.size() < d_) out[x.size()] = 0;
}

template <class T>
void Standardiser<T>::observe(std::span<const double> x, double reward) {
  if (!active() || count_++ > 0) return;
  origin_.assign(x.begin(), x.end());
  origin_.resize(d_, settings_.inputs ? 0 : 1);  // of an intercept, as map() sees it
  origin_.push_back(reward);
}

template <class T>
bool Standardiser<T>::refit(History<T>& history, const RoundWeights<T>& weights) {
  if (!renew(history, weights)) return false;
  for (std::size_t k = 0; k < history.blocks().size(); ++k) map(history, k, 0, history.blocks()[k].rows());
  return true;
}

template <class T>
bool Standardiser<T>::due(const History<T>& history) const {
  if (!active() || count_ == fitted_ || history.size() == 0) return false;
  const double growth = fitted_ < well_known ? settings_.growth : std::max(settings_.growth, 2.0);
  return static_cast<double>(count_) >= growth * static_cast<double>(std::max(fitted_, looked_));
}

template <class T>
bool Standardiser<T>::renew(History<T>& history, const RoundWeights<T>& weights) {
  if (!due(history)) return false;
  column_.reserve(std::min(history.size(), enough_rows), !weights.empty());
  if (fitted_ >= settled && !moved(history, weights)) {
    looked_ = count_;
    return false;
  }
  if (settings_.inputs) fit_inputs(history, weights);
  if (settings_.rewards) fit_rewards(history, weights);
  fitted_ = looked_ = count_;
  return true;
}

template <class T>
void Standardiser<T>::map(History<T>& history, std::size_t block, std::size_t first, std::size_t rows) const {
  history.remap(
      block, first, rows,
      [this](std::span<const T> raw, T* row) {
        scaling_.map_difference(raw, std::span(origin_).first(d_), row);
      },
      [this](T reward) { return scaling_.map_reward(origin_[d_] + static_cast<double>(reward)); });
}

// Of differences from the origin.
template <class T>
Spread Standardiser<T>::spread_of_column(const History<T>& history, const RoundWeights<T>& weights, std::size_t i) {
  collect(history, weights, column_, [&](const auto& block, std::size_t row) { return block.raw[row * d_ + i]; });
  return column_.spread(wild_inputs);
}

template <class T>
Spread Standardiser<T>::spread_of_rewards(const History<T>& history, const RoundWeights<T>& weights) {
  collect(history, weights, column_, [](const auto& block, std::size_t row) { return block.raw_rewards[row]; });
  return column_.spread(wild_rewards);
}

template <class T>
bool Standardiser<T>::moved(const History<T>& history, const RoundWeights<T>& weights) {
  const auto differs = [](const Spread& spread, double mean, double scale) {
    return std::abs(spread.centre - mean) > far_moved * scale || std::abs(spread.scale - scale) > far_moved * scale;
  };
  if (settings_.rewards &&
      differs(spread_of_rewards(history, weights), scaling_.mean(0) - origin_[d_], scaling_.width(1)))
    return true;
  for (std::size_t i = 0; settings_.inputs && i < columns(); ++i) {
    const double scale = scaling_.input_scale(i),
                 sd = scale > 0 ? 1 / (scale * std::sqrt(static_cast<double>(d_))) : 0;
    if (differs(spread_of_column(history, weights, i), scaling_.input_mean(i) - origin_[i], sd)) return true;
  }
  return false;
}

template <class T>
void Standardiser<T>::fit_inputs(History<T>& history, const RoundWeights<T>& weights) {
  const double length = std::sqrt(static_cast<double>(d_));
  std::vector<double> mean(d_, -1), scale(d_, 1 / length);  // as an intercept has them
  for (std::size_t i = 0; i < columns(); ++i) {
    const Spread spread = spread_of_column(history, weights, i);
    mean[i] = origin_[i] + spread.centre;
    scale[i] = factor_of(spread, length);
    if (!far_off(spread)) continue;
    history.shift_raw(i, spread.centre);
    origin_[i] = mean[i];
  }
  scaling_.scale_inputs(std::move(mean), std::move(scale), settings_.clip / length);
}

template <class T>
void Standardiser<T>::fit_rewards(History<T>& history, const RoundWeights<T>& weights) {
  const Spread spread = spread_of_rewards(history, weights);
  const double mean = origin_[d_] + spread.centre;
  scaling_.scale_rewards(mean, spread.scale, settings_.reward_clip);
  if (!far_off(spread)) return;
  history.shift_raw_rewards(spread.centre);
  origin_[d_] = mean;
}

template <class T>
void Standardiser<T>::save(Writer& out) const {
  out.value<std::uint64_t>(count_);
  out.value<std::uint64_t>(fitted_);
  std::vector<double> numbers = origin_;
  if (looked_ > fitted_) numbers.push_back(static_cast<double>(looked_));
  out.values(numbers);
  scaling_.save(out);
}

template <class T>
void Standardiser<T>::load(Reader& in) {
  count_ = in.value<std::uint64_t>();
  fitted_ = in.value<std::uint64_t>();
  origin_ = in.values<double>();
  looked_ = fitted_;
  if (origin_.size() == d_ + 2) looked_ = static_cast<std::size_t>(origin_.back()), origin_.pop_back();
  if (origin_.size() != (count_ == 0 ? 0 : d_ + 1)) in.fail();
  scaling_.load(in);
}

// Weights are left out where they are all 1: numbers without them are reordered less.
void fit_scaling(const StandardiserSettings& settings, std::size_t d, std::span<const Finished> rounds,
                 double weight, SpreadSample& column, Scaling<double>& out) {
  const bool plain = std::all_of(rounds.begin(), rounds.end(),
                                 [](const Finished& round) { return round.weight == 1; }) &&
                     weight == std::floor(weight);
  const auto spread_of_first = [&](auto&& number, const Outliers& outliers) {
    column.clear();
    double left = weight;
    for (auto round = rounds.begin(); round != rounds.end() && left > 0; left -= round->weight, ++round)
      if (plain) column.add(number(*round));
      else column.add(number(*round), std::min(left, round->weight));
    return column.spread(outliers);
  };
  if (settings.inputs) {
    const double length = std::sqrt(static_cast<double>(d));
    if (!out.scales_inputs()) out.hide_inputs();
    out.limit_inputs(settings.clip / length);
    for (std::size_t i = 0; i < d; ++i) {
      const Spread spread = spread_of_first([i](const Finished& round) { return round.context.values[i]; },
                                            wild_inputs);
      out.scale_input(i, spread.centre, factor_of(spread, length));
    }
  }
  if (!settings.rewards) return;
  const Spread spread = spread_of_first([](const Finished& round) { return round.reward; }, wild_rewards);
  out.scale_rewards(spread.centre, spread.scale, settings.reward_clip);
}

template class Scaling<float>;
template class Scaling<double>;
template class Standardiser<float>;
template class Standardiser<double>;

}  // namespace neuralts
