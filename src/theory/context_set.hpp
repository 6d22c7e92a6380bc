// The contexts of T rounds, all arms, with their expected rewards: what the tangent kernel matrix is built from.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "neuralts/environment.hpp"

namespace neuralts::theory {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Context i is row row[i] of `values`, standing in block block[i]. Contexts of different blocks are orthogonal.
struct ContextSet {
  RowMatrix values;
  Eigen::VectorXd norms;  ///< of the rows
  std::vector<std::uint32_t> row, block;

  std::size_t size() const { return row.size(); }
};

ContextSet make_context_set(std::span<const Slice> contexts);

/// What an episode shows. Contexts come round by round, arms in order.
struct Walk {
  ContextSet contexts;
  std::size_t rounds = 0, arms = 0;      ///< arms: the most a round offered
  std::vector<std::size_t> round_end;    ///< contexts seen up to and including each round
  bool crossed = false;                  ///< every round offers the same x in each of the blocks 0 .. arms - 1
  Eigen::VectorXd expected;              ///< h; empty where the world does not tell
  std::vector<std::size_t> observed;     ///< then: contexts whose reward was revealed, and
  std::vector<double> rewards;           ///< that reward
};

/// The first `rounds` rounds of the episode of `seed`. Throws Error(bad_input) when there is none.
Walk walk(const Environment& env, std::size_t rounds, std::uint64_t seed);

}  // namespace neuralts::theory
