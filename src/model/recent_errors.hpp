// Errors one step ahead, of late: whose are larger, and whether they have risen.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "math/running_moments.hpp"
#include "neuralts/archive.hpp"

namespace neuralts {

/// Whether A's squared errors have been larger than B's, of late, by more than their scatter explains.
class PairedErrors {
 public:
  /// `rounds`: that count, more or less.
  explicit PairedErrors(std::size_t rounds) : rounds_(static_cast<double>(rounds)) {}
  void count(double a, double b);
  bool a_is_worse(double deviations) const;
  void clear() { count_ = mean_ = square_ = 0; }

  void save(Writer& out) const;
  void load(Reader& in);

 private:
  double rounds_;
  double count_ = 0, mean_ = 0, square_ = 0;  // of the difference and its square
};

/// Whether errors of late have been larger than those since they were first counted.
class ErrorLevel {
 public:
  /// `rounds`: what "of late" is, one measure after the other.
  explicit ErrorLevel(std::vector<double> rounds);
  void count(double error) noexcept;
  bool has_risen(std::size_t measure) const { return recent_[measure] > all_.mean; }
  /// How many of the last `rounds` came after errors rose, where they rose at once: at the round at which their sum
  /// lies furthest below what it would be had they been the same throughout. Where they grew, `rounds`.
  std::size_t since_risen(std::size_t rounds) const;
  void clear() noexcept;

  void save(Writer& out) const;
  void load(Reader& in);
  // Apart: a file may end before them.
  void save_latest(Writer& out) const;
  void load_latest(Reader& in);

 private:
  std::span<const double> latest() const;  // twice as many as the longest "of late"

  std::vector<double> rounds_, recent_;
  math::RunningMoments all_;
  std::size_t most_;            // of the latest
  std::vector<double> latest_;  // up to twice as many, so that they rarely move
};

}  // namespace neuralts
