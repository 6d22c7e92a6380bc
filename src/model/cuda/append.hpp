// New rounds on their way into the tiles of a block.
#pragma once

#include "model/cuda/runtime.hpp"

namespace neuralts::cuda {

/// Consecutive rounds of one block: `count` rows of d values at `values`, then as many rewards.
struct NewRows {
  float* x = nullptr;  ///< the block's tiles
  float* rewards = nullptr;
  const float* values = nullptr;
  unsigned row = 0, count = 0, d = 0;
};
constexpr unsigned new_rows_max = 64;  ///< in one piece: the host cuts longer runs

/// Rows of a Gram matrix that are missing: row .. row + count - 1 of the products of all rounds up to there
/// with each other.
struct NewGram {
  float* gram = nullptr;  ///< rows of ld numbers
  unsigned ld = 0;
  const float* x = nullptr;
  unsigned row = 0, count = 0, d = 0;
};

/// All pointers are the device's.
void append_grams(const Queue& queue, const NewGram* pieces, unsigned count);
void append_rows(const Queue& queue, const NewRows* pieces, unsigned count);

}  // namespace neuralts::cuda
