#include "model/standardiser.hpp"

#include <algorithm>
#include <cmath>

namespace neuralts {

template <class T>
Standardiser<T>::Standardiser(const StandardiserSettings& settings, const Shape& shape) : settings_(settings), d_(shape.length) {
  restart();
}

template <class T>
void Standardiser<T>::restart() {
  count_ = fitted_ = 0;
  sum_mean_.assign(d_ + 1, 0);
  sum_square_.assign(d_ + 1, 0);
  mean_.assign(d_, 0);
  scale_.assign(d_, 1);
  reward_mean_ = 0;
  reward_scale_ = 1;
}

template <class T>
template <class In>
void Standardiser<T>::map(std::span<const In> x, T* out) const {
  if (!settings_.inputs || fitted_ == 0) {
    std::transform(x.begin(), x.end(), out, [](In value) { return static_cast<T>(value); });
    return;
  }
  const double limit = settings_.clip / std::sqrt(static_cast<double>(d_));
  for (std::size_t i = 0; i < d_; ++i) out[i] = static_cast<T>(std::clamp((static_cast<double>(x[i]) - mean_[i]) * scale_[i], -limit, limit));
}

template <class T>
void Standardiser<T>::observe(std::span<const double> x, double reward) {
  if (!active()) return;
  ++count_;
  const double share = 1 / static_cast<double>(count_);
  const auto add = [&](std::size_t i, double value) {
    const double deviation = value - sum_mean_[i];
    sum_mean_[i] += deviation * share;
    sum_square_[i] += deviation * (value - sum_mean_[i]);
  };
  for (std::size_t i = 0; i < d_; ++i) add(i, x[i]);
  add(d_, reward);
}

template <class T>
bool Standardiser<T>::refit(History<T>& history) {
  if (!active()) return false;
  if (count_ < 2 || count_ < 2 * fitted_) return false;
  fitted_ = count_;
  const double n = static_cast<double>(count_);
  const double length = std::sqrt(static_cast<double>(d_));
  if (settings_.inputs)
    for (std::size_t i = 0; i < d_; ++i) {
      mean_[i] = sum_mean_[i];
      const double sd = std::sqrt(sum_square_[i] / n);
      scale_[i] = sd > 1e-12 * std::abs(mean_[i]) && sd > 0 ? 1 / (sd * length) : 0;
    }
  if (settings_.rewards) {
    reward_mean_ = sum_mean_[d_];
    const double sd = std::sqrt(sum_square_[d_] / n);
    reward_scale_ = sd > 1e-12 * std::abs(reward_mean_) && sd > 0 ? sd : 1;
  }
  history.remap([this](std::span<const T> raw, T* row) { map(raw, row); }, [this](T reward) { return map_reward(static_cast<double>(reward)); });
  return true;
}

template <class T>
void Standardiser<T>::save(Writer& out) const {
  out.value<std::uint64_t>(count_);
  out.value<std::uint64_t>(fitted_);
  for (const auto* list : {&sum_mean_, &sum_square_, &mean_, &scale_}) out.values(*list);
  out.value(reward_mean_);
  out.value(reward_scale_);
}

template <class T>
void Standardiser<T>::load(Reader& in) {
  count_ = in.value<std::uint64_t>();
  fitted_ = in.value<std::uint64_t>();
  for (auto* list : {&sum_mean_, &sum_square_, &mean_, &scale_}) *list = in.values<double>(list->size());
  reward_mean_ = in.value<double>();
  reward_scale_ = in.value<double>();
}

template class Standardiser<float>;
template class Standardiser<double>;
template void Standardiser<float>::map<double>(std::span<const double>, float*) const;
template void Standardiser<double>::map<double>(std::span<const double>, double*) const;

}  // namespace neuralts
