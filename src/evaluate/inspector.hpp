// Diagnostics of a log for a policy, in one pass.
#pragma once

#include <Eigen/Core>
#include <array>
#include <span>

#include "neuralts/evaluate.hpp"

namespace neuralts::evaluation {

/// A player who bets that the mean weight is not what it should be. Each stake is fixed before the weight is
/// seen and cannot ruin: where the logged probabilities are right, the wealth ever reaches 1/p with probability
/// p at most.
class MeanWeightTest {
 public:
  /// `most_copies`: how many decisions an event can stand for.
  explicit MeanWeightTest(double most_copies) : most_copies_(most_copies) {}
  /// `expected`: the conditional mean of the weight, `most`: the largest it can be.
  void add(double weight, double expected, double most, double copies);
  double p() const;

 private:
  double most_copies_;
  double up_ = 0, down_ = 0, highest_ = 0;  // logarithms of wealth
  double squares_ = 1, count_ = 0;
};

/// Were actions played as often as their logged probabilities say? Counted in cells: by the probability, and by the
/// action's position, since even probabilities say nothing of which action they were. What an event adds to the cells,
/// played less probable, has mean 0 given the past; cells of one event are not independent (of two actions one says all),
/// so that the sums are judged by their covariance.
class Calibration {
 public:
  Calibration();
  void add(std::span<const double> probabilities, std::size_t arm, double copies);
  /// By probability.
  std::vector<CalibrationBin> bins() const;
  /// Of chi^2 = sums' covariance^-1 sums, over the directions in which the log can tell anything.
  double p() const;

 private:
  static constexpr std::size_t by_probability = 20, by_position = 20, cells = by_probability + by_position;
  struct Bin {
    double actions = 0, probability = 0, variance = 0, played = 0;
  };
  std::array<Bin, by_probability> bins_{};
  Eigen::VectorXd off_;         // played less probable
  Eigen::MatrixXd covariance_;  // lower triangle
  Eigen::VectorXd event_;       // of the event at hand
  std::vector<std::size_t> touched_;
};

class Inspector {
 public:
  /// `most_copies`: how many decisions an event can stand for.
  explicit Inspector(double most_copies = 1);
  /// A judged event that stands for `copies`: its weight, the policy's mass on actions that the log never plays, the
  /// largest weight it could have had.
  void add(double weight, double unsupported, double most, double copies = 1);
  /// The logged probabilities of all actions offered, and which was played.
  void add_logged(std::span<const double> probabilities, std::size_t arm, double copies = 1) {
    logged_.add(probabilities, arm, copies);
  }
  void add_open() { ++open_; }
  Diagnostics result() const;

 private:
  Calibration logged_;
  std::vector<WeightBin> weights_;
  MeanWeightTest test_;
  std::size_t n_ = 0, open_ = 0, unsupported_events_ = 0;
  double sum_ = 0, squares_ = 0, largest_ = 0, unsupported_ = 0;
};

}  // namespace neuralts::evaluation
