// What stands beside the network of the default belief and is exact after every round: an arm's mean, a line
// and a curve, each taking in the rounds of one history. Where arms have weights of their own, bends may stand beside
// them, and where there are so many columns that there is a line but no curve, a kernel in the curve's place; where their
// rewards take two values a logistic line forecasts in the line's place. Neighbours stand beside every curve.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/constant_path.hpp"
#include "model/kernel_path.hpp"
#include "model/logistic_path.hpp"
#include "model/neighbours.hpp"
#include "model/ridge_path.hpp"

namespace neuralts {

struct ExactPaths {
  enum Path : std::size_t { line, curve, bends, neighbours, paths };
  static constexpr std::size_t ridges = neighbours;  // the first of them
  using Noises = std::array<double, paths>;

  /// Who may speak; kernel, bends and the logistic line where arms have weights of their own.
  struct May {
    bool kernel = false, bends = false, neighbours = false, logistic = false;
  };

  ExactPaths(const Shape& shape, const May& may)
      : constant(shape.blocks),
        ridge{RidgePath(shape, RidgePath::Basis::line), RidgePath(shape, RidgePath::Basis::curve),
              RidgePath(shape, RidgePath::Basis::bends, may.bends && shape.blocks > 1)},
        kernel(shape, may.kernel && shape.blocks > 1 && ridge[line].affordable() && !ridge[curve].affordable()),
        nearest(shape, may.neighbours && ridge[curve].affordable()),
        logistic(shape, may.logistic && shape.blocks > 1 && ridge[line].affordable()) {}

  /// Who of them does.
  May speaking() const {
    return {.kernel = kernel.speaks(),
            .bends = ridge[bends].affordable(),
            .neighbours = nearest.speaks(),
            .logistic = logistic.wanted()};
  }
  /// Whether somebody speaks in that place.
  bool speaks(Path path) const {
    if (path == neighbours) return nearest.speaks();
    return ridge[path].affordable() || (path == curve && kernel.speaks());
  }

  /// Of the rewards' variance what the ridges leave unexplained, by whoever of them leaves less. REQUIRES a line.
  double noise() const;

  /// Forgets all rounds; noise of these variances from now on, one for each path, the kernel's that of the curve. The line
  /// learns rewards less `beyond` times what was said of them beyond a line.
  void restart(const Noises& noise, double beyond);
  /// Each takes in the rounds of `history` that have come since the last call, so many of them at most; bends, of whom
  /// nobody asks a width, several rounds at a time, which cost less each. A call that throws has taken in some; the rest
  /// waits.
  template <class T>
  void catch_up(const History<T>& history, const RoundWeights<T>& weights, std::size_t most = SIZE_MAX);
  /// Whether all have taken in all that they take in now.
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
  KernelPath kernel;
  Neighbours nearest;
  LogisticPath logistic;  // in the line's place

 private:
  /// Whether there is nothing yet to be taken in by a ridge.
  template <class T>
  bool idle(std::size_t i, const History<T>& history) const;
};

}  // namespace neuralts
