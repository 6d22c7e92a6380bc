#include "model/constant_path.hpp"

#include <algorithm>
#include <cmath>

namespace neuralts {

namespace {
constexpr double imagined = 1;  // c
constexpr double growth = 1;    // g
}  // namespace

void ConstantPath::restart() {
  arms_.assign(arms_.size(), {});
  taken_.assign(taken_.size(), 0);
  summarise();
}

template <class T>
void ConstantPath::catch_up(const History<T>& history, const RoundWeights<T>& weights, std::size_t most) {
  for (std::size_t k = 0; k < arms_.size(); ++k) {
    const auto& rounds = history.blocks()[k];
    const std::size_t fresh = std::min(rounds.rows(), rounds.appended() - taken_[k]), some = std::min(fresh, most);
    const std::size_t first = rounds.rows() - fresh;
    for (std::size_t row = first; row < first + some; ++row) {
      const double weight = weights.empty() ? 1 : static_cast<double>(weights[k][row]);
      if (weight > 0) arms_[k].add(static_cast<double>(rounds.rewards[row]), weight);
    }
    taken_[k] = rounds.appended() - (fresh - some);
    most -= some;
  }
  summarise();
}

template <class T>
std::size_t ConstantPath::waiting(const History<T>& history) const {
  std::size_t count = 0;
  for (std::size_t k = 0; k < taken_.size(); ++k) count += history.blocks()[k].appended() - taken_[k];
  return count;
}

void ConstantPath::summarise() {
  math::RunningMoments means;
  double within = 0;
  rounds_ = 0;
  for (const math::RunningMoments& arm : arms_) {
    if (!(arm.count > 0)) continue;
    rounds_ += arm.count;
    means.add(arm.mean);
    within += arm.squares / arm.count;
  }
  typical_ = means.count > 0 ? std::max(1.0, (within + means.squares) / means.count) : 1;
}

double ConstantPath::own_variance(std::size_t arm) const {
  return (arms_[arm].squares + imagined * typical_) / (arms_[arm].count + imagined);
}

double ConstantPath::mean(std::size_t arm) const {
  const math::RunningMoments& own = arms_[arm];
  return own.count * own.mean / (own.count + own_variance(arm));
}

double ConstantPath::left(std::size_t arm) const {
  const double n = arms_[arm].count, variance = own_variance(arm);
  if (!(n > 0)) return 1;
  const double rarer = std::max(1.0, rounds_ / (static_cast<double>(arms_.size()) * n));
  return variance / (n + variance) * (1 + growth * std::log(rarer));
}

void ConstantPath::save(Writer& out) const {
  for (const math::RunningMoments& arm : arms_) arm.save(out);
  out.values(taken_);
}

void ConstantPath::load(Reader& in) {
  for (math::RunningMoments& arm : arms_) arm.load(in);
  taken_ = in.values<std::uint64_t>(taken_.size());
  summarise();
}

template void ConstantPath::catch_up<float>(const History<float>&, const RoundWeights<float>&, std::size_t);
template void ConstantPath::catch_up<double>(const History<double>&, const RoundWeights<double>&, std::size_t);
template std::size_t ConstantPath::waiting<float>(const History<float>&) const;
template std::size_t ConstantPath::waiting<double>(const History<double>&) const;

}  // namespace neuralts
