#include "model/standardiser.hpp"

#include <algorithm>
#include <cmath>

namespace neuralts {

template <class T>
template <class In>
void Scaling<T>::map(std::span<const In> x, T* out) const {
  if (mean_.empty()) {
    std::transform(x.begin(), x.end(), out, [](In value) { return static_cast<T>(value); });
    return;
  }
  for (std::size_t i = 0; i < d_; ++i)
    out[i] = static_cast<T>(std::clamp((static_cast<double>(x[i]) - mean_[i]) * scale_[i], -limit_, limit_));
}

template <class T>
Batch<T> Scaling<T>::map(const Contexts& contexts, Scratch& scratch) const {
  const std::size_t n = contexts.arms(), d = contexts.length(), rows = contexts.shared() ? 1 : n;
  const auto blocks = scratch.take<std::uint32_t>(n);
  const auto x = scratch.take<T>(rows * d);
  for (std::size_t k = 0; k < n; ++k) blocks[k] = static_cast<std::uint32_t>(contexts[k].block);
  for (std::size_t r = 0; r < rows; ++r) map(contexts[r].values, x.data() + r * d);
  return {n, x.data(), contexts.shared() ? 0 : d, blocks.data()};
}

template <class T>
void Scaling<T>::scale_inputs(std::vector<double> mean, std::vector<double> scale, double limit) {
  mean_ = std::move(mean);
  scale_ = std::move(scale);
  limit_ = limit;
}

template <class T>
void Scaling<T>::save(Writer& out) const {
  out.values(mean_);
  out.values(scale_);
  out.value(limit_);
  out.value(reward_mean_);
  out.value(reward_scale_);
}

template <class T>
void Scaling<T>::load(Reader& in) {
  mean_ = in.values<double>();
  if (!mean_.empty() && mean_.size() != d_) in.fail();
  scale_ = in.values<double>(mean_.size());
  limit_ = in.value<double>();
  reward_mean_ = in.value<double>();
  reward_scale_ = in.value<double>();
}

template <class T>
void Standardiser<T>::restart() {
  count_ = fitted_ = 0;
  sum_mean_.assign(d_ + 1, 0);
  sum_square_.assign(d_ + 1, 0);
  scaling_ = Scaling<T>(d_);
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
  const auto varies = [&](double sd, double mean) { return sd > 1e-12 * std::abs(mean) && sd > 0; };
  if (settings_.inputs) {
    const double length = std::sqrt(static_cast<double>(d_));
    std::vector<double> mean(sum_mean_.begin(), sum_mean_.end() - 1), scale(d_);
    for (std::size_t i = 0; i < d_; ++i) {
      const double sd = std::sqrt(sum_square_[i] / n);
      scale[i] = varies(sd, mean[i]) ? 1 / (sd * length) : 0;
    }
    scaling_.scale_inputs(std::move(mean), std::move(scale), settings_.clip / length);
  }
  if (settings_.rewards) {
    const double mean = sum_mean_[d_], sd = std::sqrt(sum_square_[d_] / n);
    scaling_.scale_rewards(mean, varies(sd, mean) ? sd : 1);
  }
  history.remap([this](std::span<const T> raw, T* row) { scaling_.map(raw, row); },
                [this](T reward) { return scaling_.map_reward(static_cast<double>(reward)); });
  return true;
}

template <class T>
void Standardiser<T>::save(Writer& out) const {
  out.value<std::uint64_t>(count_);
  out.value<std::uint64_t>(fitted_);
  for (const auto* list : {&sum_mean_, &sum_square_}) out.values(*list);
  scaling_.save(out);
}

template <class T>
void Standardiser<T>::load(Reader& in) {
  count_ = in.value<std::uint64_t>();
  fitted_ = in.value<std::uint64_t>();
  for (auto* list : {&sum_mean_, &sum_square_}) *list = in.values<double>(list->size());
  scaling_.load(in);
}

template class Scaling<float>;
template class Scaling<double>;
template class Standardiser<float>;
template class Standardiser<double>;
template void Scaling<float>::map<double>(std::span<const double>, float*) const;
template void Scaling<double>::map<double>(std::span<const double>, double*) const;

}  // namespace neuralts
