// What stands beside the network of the default belief and is exact after every round: an arm's mean, a line
// and a curve, each taking in the rounds of one history.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/constant_path.hpp"
#include "model/ridge_path.hpp"

namespace neuralts {

struct ExactPaths {
  enum Path : std::size_t { line, curve, ridges };
  using Noises = std::array<double, ridges>;

  explicit ExactPaths(const Shape& shape)
      : constant(shape.blocks), ridge{RidgePath(shape, 1), RidgePath(shape, 2)} {}

  /// Forgets all rounds; noise of these variances from now on, one for each ridge.
  void restart(const Noises& noise);
  /// Each takes in the rounds of `history` that have come since the last call, so many of them at most. A call
  /// that throws has taken in some; the rest waits.
  template <class T>
  void catch_up(const History<T>& history, const RoundWeights<T>& weights, std::size_t most = SIZE_MAX);
  /// Whether all have taken in all.
  template <class T>
  bool up_to_date(const History<T>& history) const;

  /// Takes the memory that catch_up() with `rounds` needs, or none; gives back what no round has used.
  void make_room(std::span<const Finished> rounds);
  void give_back(std::span<const Finished> rounds) noexcept;

  std::size_t memory() const;
  void save(Writer& out) const;
  void load(Reader& in);

  ConstantPath constant;
  std::array<RidgePath, ridges> ridge;
};

}  // namespace neuralts
