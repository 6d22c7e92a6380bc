#include "model/constant_path.hpp"

#include <algorithm>
#include <cmath>

namespace neuralts {

namespace {
constexpr double imagined = 8;  // c
constexpr double growth = 0.7;  // g
}  // namespace

void ConstantPath::restart() {
  arms_.assign(arms_.size(), {});
  cursor_.restart();
  summarise();
}

template <class T>
void ConstantPath::catch_up(const History<T>& history, const RoundWeights<T>& weights, std::size_t most) {
  cursor_.advance(history, most, [&](std::size_t k, std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      const double weight = weights.empty() ? 1 : static_cast<double>(weights[k][row]);
      if (weight > 0) arms_[k].add(static_cast<double>(history.blocks()[k].rewards[row]), weight);
    }
  });
  summarise();
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
  double sum = 0;
  for (std::size_t arm = 0; arm < arms_.size(); ++arm) sum += mean(arm);
  average_below_ = means.count > 0 ? std::min(0.0, sum / means.count) : 0;
}

double ConstantPath::own_variance(std::size_t arm) const {
  return (arms_[arm].squares + imagined * typical_) / (arms_[arm].count + imagined);
}

double ConstantPath::untold(std::size_t arm) const {
  const double variance = own_variance(arm);
  return variance / (arms_[arm].count + variance);
}

double ConstantPath::mean(std::size_t arm) const {
  const math::RunningMoments& own = arms_[arm];
  return own.count * own.mean / (own.count + own_variance(arm));
}

double ConstantPath::left(std::size_t arm) const {
  const double n = arms_[arm].count;
  if (!(n > 0)) return 1;
  const double rarer = std::max(1.0, rounds_ / (static_cast<double>(arms_.size()) * n));
  return untold(arm) * (1 + growth * std::log(rarer));
}

void ConstantPath::save(Writer& out) const {
  for (const math::RunningMoments& arm : arms_) arm.save(out);
  cursor_.save(out);
}

void ConstantPath::load(Reader& in) {
  for (math::RunningMoments& arm : arms_) arm.load(in);
  cursor_.load(in);
  summarise();
}

template void ConstantPath::catch_up<float>(const History<float>&, const RoundWeights<float>&, std::size_t);
template void ConstantPath::catch_up<double>(const History<double>&, const RoundWeights<double>&, std::size_t);

}  // namespace neuralts
