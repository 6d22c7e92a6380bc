// Means and covariances of a few numbers per event, in one pass (Welford).
#pragma once

#include <array>
#include <cstddef>

namespace neuralts::evaluation {

template <std::size_t N>
class Moments {
 public:
  void add(const std::array<double, N>& values) {
    const double part = 1 / static_cast<double>(++count_);
    std::array<double, N> before;
    for (std::size_t i = 0; i < N; ++i) {
      before[i] = values[i] - mean_[i];
      mean_[i] += before[i] * part;
    }
    std::size_t at = 0;
    for (std::size_t i = 0; i < N; ++i)
      for (std::size_t j = i; j < N; ++j) products_[at++] += before[i] * (values[j] - mean_[j]);
  }

  std::size_t count() const { return count_; }
  double mean(std::size_t i) const { return mean_[i]; }
  /// With n - 1; 0 below two events.
  double covariance(std::size_t i, std::size_t j) const {
    return count_ < 2 ? 0 : products_[place(i < j ? i : j, i < j ? j : i)] / static_cast<double>(count_ - 1);
  }
  /// Of the combination sum_i c[i] * value i.
  double variance(const std::array<double, N>& c) const {
    double sum = 0;
    for (std::size_t i = 0; i < N; ++i)
      for (std::size_t j = 0; j < N; ++j) sum += c[i] * c[j] * covariance(i, j);
    return sum > 0 ? sum : 0;
  }

 private:
  static constexpr std::size_t place(std::size_t i, std::size_t j) { return i * N - i * (i + 1) / 2 + j; }
  std::size_t count_ = 0;
  std::array<double, N> mean_{};
  std::array<double, N*(N + 1) / 2> products_{};
};

}  // namespace neuralts::evaluation
