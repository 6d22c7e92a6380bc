// How the rounds of a training are cut: tiles of `height` rounds within a block, and chunks of consecutive tiles over all blocks.
#pragma once

#include "model/cuda/step_rule.cuh"

namespace neuralts::cuda {

/// A power of two, as many as leave each chunk `rounds_min` turns of all `groups` that share it, for the ends not to count.
__host__ __device__ inline unsigned chunk_count(unsigned tiles, unsigned groups) {
  constexpr unsigned turns_min = 16;
  unsigned chunks = chunks_max;
  while (chunks > 1 && tiles < chunks * groups * turns_min) chunks /= 2;
  return chunks;
}

/// In shared memory: where each block's tiles start, and which chunks they lie in.
struct Cut {
  static constexpr unsigned blocks_max = 128;
  unsigned tiles, chunks;
  unsigned start[blocks_max + 1];
  ChunkRange ranges[blocks_max];

  __device__ unsigned chunk_start(unsigned c) const { return static_cast<unsigned>(static_cast<unsigned long long>(c) * tiles / chunks); }

  /// By one thread.
  __device__ void make(const DeviceJob& job, unsigned height, unsigned groups) {
    start[0] = 0;
    for (unsigned k = 0; k < job.K; ++k) start[k + 1] = start[k] + (job.blocks[k].rows + height - 1) / height;
    tiles = start[job.K];
    chunks = chunk_count(tiles, groups);
    for (unsigned k = 0; k < job.K; ++k) {
      ChunkRange range{0, 0};
      for (unsigned c = 0; c < chunks && start[k] < start[k + 1]; ++c) {
        if (chunk_start(c + 1) <= start[k]) range.from = c + 1;
        if (chunk_start(c) < start[k + 1]) range.to = c + 1;
      }
      ranges[k] = range;
    }
  }
};

}  // namespace neuralts::cuda
