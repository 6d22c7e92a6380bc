// How the rounds of a training are cut: tiles of `height` rounds within a block, and chunks of consecutive
// tiles over all blocks.
#pragma once

#include "model/cuda/step_rule.cuh"

namespace neuralts::cuda {

/// A power of two, as many as leave each chunk `tiles_min`, for the ends not to count.
__host__ __device__ inline unsigned chunk_count(unsigned tiles, unsigned tiles_min) {
  unsigned chunks = chunks_max;
  while (chunks > 1 && tiles < chunks * tiles_min) chunks /= 2;
  return chunks;
}

/// In shared memory: where each block's tiles start, and which chunks they lie in.
struct Cut {
  static constexpr unsigned blocks_max = 128;
  unsigned tiles, chunks;
  unsigned start[blocks_max + 1];
  ChunkRange ranges[blocks_max];

  __device__ unsigned chunk_start(unsigned c) const {
    return static_cast<unsigned>(static_cast<unsigned long long>(c) * tiles / chunks);
  }

  /// By one thread.
  __device__ void make(const DeviceJob& job, unsigned height, unsigned tiles_min) {
    start[0] = 0;
    for (unsigned k = 0; k < job.K; ++k) start[k + 1] = start[k] + (job.blocks[k].rows + height - 1) / height;
    tiles = start[job.K];
    chunks = chunk_count(tiles, tiles_min);
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

/// A training, in the shared memory of the thread blocks of its cluster.
struct Training {
  DeviceJob job;
  Cut cut;
  StepLength step;
  unsigned rank, ranks;  // of this thread block in the cluster
  unsigned from, to;     // the chunks that fall to it

  __device__ void begin(const DeviceJob* jobs, unsigned height, unsigned tiles_min) {
    const auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0) {
      rank = cluster.block_rank();
      ranks = cluster.num_blocks();
      job = jobs[blockIdx.x / ranks];
      cut.make(job, height, tiles_min);
      const unsigned share = (cut.chunks + ranks - 1) / ranks;
      from = min(cut.chunks, rank * share);
      to = min(cut.chunks, from + share);
    }
    __syncthreads();
  }

  /// prepare(), gradient(c) of every chunk c of this thread block, then, when all have theirs, move().
  template <class Prepare, class Gradient, class Move>
  __device__ void take_steps(Prepare&& prepare, Gradient&& gradient, Move&& move) {
    const auto cluster = cooperative_groups::this_cluster();
    StepClock clock(job);
    for (unsigned j = 0; j < job.steps; ++j) {
      prepare();
      for (unsigned c = from; c < to; ++c) gradient(c);
      if (threadIdx.x == 0) step = clock.next(job);
      cluster.sync();
      move();
      cluster.sync();
    }
  }
  template <class Fit>
  __device__ void take_steps(Fit& fit) {
    take_steps([&] { fit.begin_step(); }, [&](unsigned c) { fit.chunk(c); },
               [&] { end_step(job, step, cut.chunks, cut.ranges, rank, ranks); });
  }
};

/// The thread block's one; uninitialised.
__device__ inline Training& shared_training() {
  __shared__ alignas(Training) unsigned char bytes[sizeof(Training)];
  return reinterpret_cast<Training&>(bytes);
}

}  // namespace neuralts::cuda
