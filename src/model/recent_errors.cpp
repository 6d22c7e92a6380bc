#include "model/recent_errors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace neuralts {

namespace {
constexpr double at_once = 4;  // errors so many times those before have risen at once
constexpr std::size_t least_since = 8;
}  // namespace

void PairedErrors::count(double a, double b) {
  const double difference = a - b, share = std::max(1 / rounds_, 1 / (count_ + 1));
  mean_ += share * (difference - mean_);
  square_ += share * (difference * difference - square_);
  count_ = std::min(count_ + 1, rounds_);
}

// A mean of n differences scatters by their deviation over sqrt(n).
bool PairedErrors::a_is_worse(double deviations) const {
  if (count_ < rounds_ / 2) return false;
  const double variance = std::max(0.0, square_ - mean_ * mean_);
  return mean_ > 0 && mean_ * std::sqrt(count_) > deviations * std::sqrt(variance);
}

void PairedErrors::save(Writer& out) const {
  for (const double value : {count_, mean_, square_}) out.value(value);
}

void PairedErrors::load(Reader& in) {
  for (double* value : {&count_, &mean_, &square_}) *value = in.value<double>();
}

ErrorLevel::ErrorLevel(std::vector<double> rounds)
    : rounds_(std::move(rounds)), recent_(rounds_.size()), most_(2 * static_cast<std::size_t>(rounds_.back())) {
  latest_.reserve(2 * most_);
}

void ErrorLevel::count(double error) noexcept {
  all_.add(error);
  for (std::size_t i = 0; i < recent_.size(); ++i)
    recent_[i] += std::max(1 / rounds_[i], 1 / all_.count) * (error - recent_[i]);
  if (latest_.size() == 2 * most_) latest_.erase(latest_.begin(), latest_.end() - static_cast<std::ptrdiff_t>(most_));
  latest_.push_back(error);
}

std::span<const double> ErrorLevel::latest() const {
  return std::span(latest_).last(std::min(most_, latest_.size()));
}

std::size_t ErrorLevel::since_risen(std::size_t rounds) const {
  const auto errors = latest().last(std::min(rounds, latest().size()));
  const auto mean_of = [](auto from, auto to) {
    return std::accumulate(from, to, 0.0) / static_cast<double>(to - from);
  };
  const double mean = mean_of(errors.begin(), errors.end());
  double sum = 0, least = 0;
  auto rise = errors.begin();
  for (auto error = errors.begin(); error != errors.end(); ++error) {
    sum += *error - mean;
    if (sum < least) least = sum, rise = error + 1;
  }
  const auto since = static_cast<std::size_t>(errors.end() - rise);
  if (rise == errors.begin() || since < least_since) return rounds;
  return mean_of(rise, errors.end()) > at_once * mean_of(errors.begin(), rise) ? since : rounds;
}

void ErrorLevel::clear() noexcept {
  all_ = {};
  std::fill(recent_.begin(), recent_.end(), 0.0);
  latest_.clear();
}

void ErrorLevel::save_latest(Writer& out) const {
  out.values(std::vector(latest().begin(), latest().end()));
}

void ErrorLevel::load_latest(Reader& in) {
  const auto loaded = in.values<double>();
  const std::size_t kept = std::min(most_, loaded.size());
  latest_.assign(loaded.end() - static_cast<std::ptrdiff_t>(kept), loaded.end());
}

void ErrorLevel::save(Writer& out) const {
  all_.save(out);
  for (const double value : recent_) out.value(value);
}

void ErrorLevel::load(Reader& in) {
  all_.load(in);
  for (double& value : recent_) value = in.value<double>();
}

}  // namespace neuralts
