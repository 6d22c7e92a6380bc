// One hidden layer over blocks of many columns and fewer rounds: layer 1 in the span of its rows (model/row_span.hpp).
//
//   W_1' = A + rho (W_start - A) + X'C      X W_1' = X A + rho X (W_start - A) + G C      G = X X'
// so that a step needs one product, G C. Every product here is (rows x K)(K x 104): a thread block has 64 rows, a warp 16 rows x 104
// units, a thread 4 x 13; K goes by in slabs of 32 that are on their way while the slab before is multiplied.
#pragma once

#include "model/cuda/chunks.cuh"
#include "model/cuda/copies.cuh"

namespace neuralts::cuda {

namespace span {

constexpr unsigned units = 104, lanes = 8, own = 13;  // units of a layer, threads across them, units of a thread
constexpr unsigned warps = 4, threads = 32 * warps;
constexpr unsigned slab = 32, height = warps * tile_rows;
constexpr unsigned left_size = slab * tile_rows, right_size = slab * units;

/// Shared memory of a thread block, in numbers: both sides of a slab twice, w_L, b_1, sums of the warps.
__host__ __device__ constexpr unsigned shared_numbers() { return 2 * (warps * left_size + right_size) + 2 * units + 2 * warps * units + warps; }

__host__ __device__ inline unsigned slabs(unsigned count) { return (count + slab - 1) / slab; }
constexpr unsigned chunk_tiles_min = 1;

/// A thread's 13 units of a row of 104: three times four neighbours, then one of the last eight.
struct Units {
  float v[own];
  __device__ static Units read(const float* row, unsigned lane) {
    const auto* four = reinterpret_cast<const float4*>(row) + lane;
    const float4 a = four[0], b = four[lanes], c = four[2 * lanes];
    return {{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c.x, c.y, c.z, c.w, row[96 + lane]}};
  }
  __device__ void write(float* row, unsigned lane) const {
    auto* four = reinterpret_cast<float4*>(row) + lane;
    four[0] = {v[0], v[1], v[2], v[3]};
    four[lanes] = {v[4], v[5], v[6], v[7]};
    four[2 * lanes] = {v[8], v[9], v[10], v[11]};
    row[96 + lane] = v[12];
  }
  __device__ void add(float x, const Units& other) {
#pragma unroll
    for (unsigned j = 0; j < own; ++j) v[j] = fmaf(x, other.v[j], v[j]);
  }
};
__device__ inline float part(const float4& four, unsigned q) { return q == 0 ? four.x : q == 1 ? four.y : q == 2 ? four.z : four.w; }


class Fit {
 public:
  __device__ Fit(const DeviceJob& job, const Cut& cut, float* shared)
      : job_(job), cut_(cut), warp_(threadIdx.x / 32), lane_(threadIdx.x % lanes), line_(threadIdx.x % 32 / lanes), left_(shared),
        right_(left_ + 2 * warps * left_size), last_(right_ + 2 * right_size), bias_(last_ + units), sums_(bias_ + units) {}

  /// X A and X (W_start - A) of groups from .. to - 1.
  __device__ void start(unsigned from, unsigned to) {
    each_group(from, to, [&](unsigned k, unsigned row) {
      const SpanBlock& block = job_.span[k];
      const float* x = job_.blocks[k].x + static_cast<std::size_t>(row / tile_rows + warp_) * job_.d * tile_rows;
      const auto values = [&](unsigned k0, float* to_left) { fetch_left(x, tile_rows, k0, job_.d, to_left); };
      Units products[4] = {};
      multiply(job_.d, values, job_.theta + k * job_.d * job_.m, job_.m, job_.d, products);
      if (job_.anchor != nullptr) {
        Units anchored[4] = {};
        multiply(job_.d, values, job_.anchor + k * job_.d * job_.m, job_.m, job_.d, anchored);
#pragma unroll
        for (unsigned q = 0; q < 4; ++q) {
          anchored[q].write(block.anchored + place(row, q), lane_);
          products[q].add(-1, anchored[q]);
        }
      }
#pragma unroll
      for (unsigned q = 0; q < 4; ++q) products[q].write(block.started + place(row, q), lane_);
    });
  }

  /// Signals of the chunk's rounds, and the gradient of b_1, w_L and b_L into its row of `partial`.
  __device__ void chunk(unsigned c, float rho) {
    last_gradient_ = bias_gradient_ = Units{};
    error_ = 0;
    each_group(cut_.chunk_start(c), cut_.chunk_start(c + 1), [&](unsigned k, unsigned row) { forward(k, row, rho); });
    write_above(job_.partial + static_cast<std::size_t>(c) * job_.ld + job_.K * job_.d * job_.m);
  }

  __device__ void read_above() {
    const unsigned m = job_.m, u = threadIdx.x;
    const float* above = job_.theta + job_.K * job_.d * m;
    const float* last = above + (job_.biases ? m : 0);
    if (u < units) {
      bias_[u] = job_.biases && u < m ? __ldcg(above + u) : 0.0f;
      last_[u] = u < m ? __ldcg(last + u) : 0.0f;
    }
    output_bias_ = job_.biases ? __ldcg(last + m) : 0.0f;
    __syncthreads();
  }

  /// The step on C, of groups from .. to - 1.
  __device__ void move(unsigned from, unsigned to, float length) const {
    each_group(from, to, [&](unsigned k, unsigned row) {
      const SpanBlock& block = job_.span[k];
      for (unsigned i = threadIdx.x; i < height * units; i += threads) {
        const std::size_t at = static_cast<std::size_t>(row) * units + i;
        const float c = __ldcg(block.c + at);
        float direction = fmaf(job_.decay, c, __ldcg(block.signals + at));
        if (job_.rule == StepRule::momentum) {
          direction = fmaf(job_.momentum, __ldcg(block.velocity + at), direction);
          __stcg(block.velocity + at, direction);
        }
        __stcg(block.c + at, fmaf(-length, direction, c));
      }
    });
  }

  /// W_1' of 64 columns of block k, from column `first` on.
  __device__ void finish(unsigned k, unsigned first, float rho) {
    const float* x = job_.blocks[k].x;
    const unsigned d = job_.d, m = job_.m, column = first + warp_ * tile_rows, rows = slabs(job_.blocks[k].rows) * slab;
    const auto turned = [&](unsigned r0, float* to_left) {  // four rounds of a column at a time, from tiles that have them side by side
      for (unsigned i = threadIdx.x % 32; i < slab / 4 * tile_rows; i += 32) {
        const unsigned r = r0 + i / tile_rows * 4, j = i % tile_rows;
        const float4 v = column + j < d ? __ldcg(reinterpret_cast<const float4*>(x + (static_cast<std::size_t>(r / tile_rows) * d + column + j) * tile_rows + r % tile_rows))
                                        : float4{0, 0, 0, 0};
#pragma unroll
        for (unsigned q = 0; q < 4; ++q) to_left[(i / tile_rows * 4 + q) * tile_rows + j] = part(v, q);
      }
    };
    Units sums[4] = {};
    multiply(rows, turned, job_.span[k].c, units, rows, sums);
    float* theta = job_.theta + k * d * m;
    const float* anchor = job_.anchor == nullptr ? nullptr : job_.anchor + k * d * m;
#pragma unroll
    for (unsigned q = 0; q < 4; ++q) {
      const unsigned i = column + 4 * line_ + q;
#pragma unroll
      for (unsigned j = 0; j < own; ++j) {
        const unsigned u = j < 12 ? j / 4 * 32 + 4 * lane_ + j % 4 : 96 + lane_;
        if (i < d && u < m)
          __stcg(theta + i * m + u, rho * __ldcg(theta + i * m + u) + (anchor == nullptr ? 0.0f : (1 - rho) * __ldg(anchor + i * m + u)) + sums[q].v[j]);
      }
    }
  }

 private:
  // visit(block, first row) for groups of 64 rounds.
  template <class Visit>
  __device__ void each_group(unsigned from, unsigned to, Visit&& visit) const {
    for (unsigned k = 0; k < job_.K; ++k) {
      const unsigned begin = max(from, cut_.start[k]), end = min(to, cut_.start[k + 1]);
      for (unsigned group = begin; group < end; ++group) visit(k, (group - cut_.start[k]) * height);
    }
  }
  // Of this thread's round q of a group, in arrays of rows of 104.
  __device__ std::size_t place(unsigned row, unsigned q) const { return static_cast<std::size_t>(row + warp_ * tile_rows + 4 * line_ + q) * units; }

  // Lines k0 .. k0 + 31 of sixteen numbers, `stride` apart, into this warp's side of a slab; lines past `count` are 0.
  __device__ void fetch_left(const float* from, std::size_t stride, unsigned k0, unsigned count, float* to) const {
    for (unsigned i = threadIdx.x % 32; i < slab * 4; i += 32) {
      const unsigned k = k0 + i / 4;
      copy_or_zero(to + 4 * i, from + (k < count ? k : 0) * stride + i % 4 * 4, k < count);
    }
  }
  // The thread block's common side: rows of 104, of which those past `count` and units past what there is are 0.
  __device__ void fetch_right(const float* from, unsigned ld, unsigned k0, unsigned count, float* to) const {
    for (unsigned i = threadIdx.x; i < right_size / 4; i += threads) {
      const unsigned k = k0 + i / (units / 4), four = i % (units / 4);
      const bool there = k < count && 4 * four < ld;
      copy_or_zero(to + 4 * i, there ? from + static_cast<std::size_t>(k) * ld + 4 * four : from, there);
    }
  }

  // sums += left right over `count` lines. `left(k0, to)` brings sixteen numbers of 32 lines; right: rows of ld numbers.
  template <class Left>
  __device__ void multiply(unsigned count, Left&& left, const float* right, unsigned ld, unsigned right_count, Units (&sums)[4]) {
    const auto left_at = [&](unsigned buffer) { return left_ + (buffer * warps + warp_) * left_size; };
    const auto right_at = [&](unsigned buffer) { return right_ + buffer * right_size; };
    if (count == 0) return;  // a block without rounds
    __syncthreads();
    left(0, left_at(0));
    fetch_right(right, ld, 0, right_count, right_at(0));
    end_copies();
    unsigned buffer = 0;
#pragma unroll 1
    for (unsigned k0 = 0; k0 < count; k0 += slab, buffer ^= 1) {
      wait_copies();
      __syncthreads();
      if (k0 + slab < count) {
        left(k0 + slab, left_at(buffer ^ 1));
        fetch_right(right, ld, k0 + slab, right_count, right_at(buffer ^ 1));
      }
      end_copies();
      const float *x = left_at(buffer) + 4 * line_, *w = right_at(buffer);
#pragma unroll 8
      for (unsigned k = 0; k < slab; ++k) {
        const float4 values = *reinterpret_cast<const float4*>(x + k * tile_rows);
        const Units row = Units::read(w + k * units, lane_);
#pragma unroll
        for (unsigned q = 0; q < 4; ++q) sums[q].add(part(values, q), row);
      }
    }
  }

  __device__ void forward(unsigned k, unsigned row, float rho) {
    const SpanBlock& block = job_.span[k];
    const BlockRows& rows = job_.blocks[k];
    const unsigned own_row = row + warp_ * tile_rows + 4 * line_, count = slabs(rows.rows) * slab;
    Units a[4];
    const Units bias = Units::read(bias_, lane_);
#pragma unroll
    for (unsigned q = 0; q < 4; ++q) {
      a[q] = bias;
      a[q].add(rho, Units::read(block.started + place(row, q), lane_));
      if (job_.anchor != nullptr) a[q].add(1, Units::read(block.anchored + place(row, q), lane_));
    }
    const float* gram = block.gram + row + warp_ * tile_rows;
    multiply(count, [&](unsigned k0, float* to) { fetch_left(gram, block.ld, k0, count, to); }, block.c, units, count, a);
    const float4 rewards = __ldg(reinterpret_cast<const float4*>(rows.rewards + own_row));
    const float4 weights = rows.weights == nullptr ? float4{1, 1, 1, 1} : __ldg(reinterpret_cast<const float4*>(rows.weights + own_row));
    const Units last = Units::read(last_, lane_);
    float f[4] = {0, 0, 0, 0};
#pragma unroll
    for (unsigned j = 0; j < own; ++j)
#pragma unroll
      for (unsigned q = 0; q < 4; ++q) f[q] = fmaf(fmaxf(a[q].v[j], 0.0f), last.v[j], f[q]);
#pragma unroll
    for (unsigned apart = 1; apart < lanes; apart *= 2)
#pragma unroll
      for (unsigned q = 0; q < 4; ++q) f[q] += __shfl_xor_sync(~0u, f[q], apart);
#pragma unroll
    for (unsigned q = 0; q < 4; ++q) {
      const float factor = own_row + q < rows.rows ? job_.weight * job_.scale * part(weights, q) : 0.0f;
      const float e = (job_.scale * (f[q] + output_bias_) - part(rewards, q)) * factor;
      error_ += e;
#pragma unroll
      for (unsigned j = 0; j < own; ++j) {
        last_gradient_.v[j] = fmaf(e, fmaxf(a[q].v[j], 0.0f), last_gradient_.v[j]);
        a[q].v[j] = a[q].v[j] > 0 ? e * last.v[j] : 0.0f;
        bias_gradient_.v[j] += a[q].v[j];
      }
      a[q].write(block.signals + place(row, q), lane_);
    }
  }

  // Over the lines of a warp, then over the warps.
  __device__ void write_above(float* out) {
#pragma unroll
    for (unsigned apart = lanes; apart < 32; apart *= 2) {
#pragma unroll
      for (unsigned j = 0; j < own; ++j) {
        last_gradient_.v[j] += __shfl_xor_sync(~0u, last_gradient_.v[j], apart);
        bias_gradient_.v[j] += __shfl_xor_sync(~0u, bias_gradient_.v[j], apart);
      }
      error_ += __shfl_xor_sync(~0u, error_, apart);
    }
    float *last_sums = sums_ + warps * units, *errors = last_sums + warps * units;
    __syncthreads();
    if (line_ == 0) {
      bias_gradient_.write(sums_ + warp_ * units, lane_);
      last_gradient_.write(last_sums + warp_ * units, lane_);
      if (lane_ == 0) errors[warp_] = error_;
    }
    __syncthreads();
    const unsigned m = job_.m, u = threadIdx.x;
    const auto sum = [&](const float* rows) { return rows[u] + rows[units + u] + rows[2 * units + u] + rows[3 * units + u]; };
    if (job_.biases && u < m) __stcg(out + u, sum(sums_));
    if (job_.biases) out += m;
    if (u < m) __stcg(out + u, sum(last_sums));
    if (job_.biases && u == 0) __stcg(out + m, errors[0] + errors[1] + errors[2] + errors[3]);
    __syncthreads();
  }

  const DeviceJob& job_;
  const Cut& cut_;
  const unsigned warp_, lane_, line_;
  float *left_, *right_, *last_, *bias_, *sums_;
  float output_bias_ = 0, error_ = 0;
  Units last_gradient_, bias_gradient_;
};

/// A cluster per job. Launched with `threads` threads and shared_numbers() floats of shared memory a block.
/// REQUIRES job.span; m % 4 == 0, m <= 104, L == 2; descent, or momentum that starts at rest; C and its velocity 0.
__global__ void __launch_bounds__(threads, 2) fit(const DeviceJob* jobs) {
  extern __shared__ float4 shared[];
  Training& training = shared_training();
  training.begin(jobs, height, chunk_tiles_min);
  const DeviceJob& job = training.job;
  const Cut& cut = training.cut;
  Fit fit(job, cut, reinterpret_cast<float*>(shared));
  const unsigned rank = training.rank, ranks = training.ranks, first = cut.chunk_start(training.from), end = cut.chunk_start(training.to);
  fit.start(first, end);
  cooperative_groups::this_cluster().sync();
  const unsigned above = job.K * job.d * job.m, aligned_end = job.p / 4 * 4;
  float rho = 1, rho_velocity = 0;
  const auto move = [&] {
    const StepLength step = training.step;
    fit.move(first, end, step.length);
    move_aligned(job, step, {0, cut.chunks}, above, aligned_end, rank, ranks);
    move_each(job, step, {0, cut.chunks}, aligned_end, job.p, rank, ranks);
    const float pull = job.decay * rho;
    rho_velocity = job.rule == StepRule::momentum ? fmaf(job.momentum, rho_velocity, pull) : pull;
    rho = fmaf(-step.length, rho_velocity, rho);
  };
  training.take_steps([&] { fit.read_above(); }, [&](unsigned c) { fit.chunk(c, rho); }, move);
  const unsigned groups = (job.d + height - 1) / height;
  for (unsigned i = rank; i < job.K * groups; i += ranks) fit.finish(i / groups, i % groups * height, rho);
}

}  // namespace span

}  // namespace neuralts::cuda
