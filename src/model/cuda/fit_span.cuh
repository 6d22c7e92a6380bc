// One hidden layer over blocks of many columns and fewer rounds: layer 1 in the span of its rows
// (model/row_span.hpp).
//
//   W_1' = A + rho (W_start - A) + X'C      X W_1' = X A + rho X (W_start - A) + G C      G = X X'
// so that a step needs one product, G C. Every product here is (rows x K)(K x 104) on tensor cores, three TF32
// products for one of float32 (fit_tensor.cuh): a thread block has 64 rows, a warp 16 rows x 104 units as 13
// matrices of eight, and a thread of those rows g and g + 8, units 2t and 2t + 1. K goes by in slabs of 32 that
// are on their way while the slab before is multiplied; slabs are summed by ordinary additions.
#pragma once

#include "model/cuda/chunks.cuh"
#include "model/cuda/copies.cuh"
#include "model/cuda/fit_tensor.cuh"

namespace neuralts::cuda {

namespace span {

constexpr unsigned units = 104, pieces = units / 8;  // of a layer; eight of them are a piece
constexpr unsigned warps = 4, threads = 32 * warps;
constexpr unsigned slab = 32, height = warps * tile_rows;
constexpr unsigned left_stride = 24;  // from line to line of the left side, so that banks do not conflict
constexpr unsigned left_size = slab * left_stride, right_size = slab * units;
constexpr unsigned own = 2 * pieces;  // units of a thread

/// Shared memory of a thread block, in numbers: both sides of a slab twice, w_L, b_1, sums of the threads and
/// of the warps.
__host__ __device__ constexpr unsigned shared_numbers() {
  return 2 * (warps * left_size + right_size) + 2 * units + 2 * own * threads + 2 * warps * units + warps;
}

__host__ __device__ inline unsigned slabs(unsigned count) { return (count + slab - 1) / slab; }
constexpr unsigned chunk_tiles_min = 1;

/// A thread's part of 16 rows of 104 units: of piece j units 8j + 2t, 8j + 2t + 1 of row g, then of row g + 8.
struct Part {
  float v[pieces][4];
};

class Fit {
 public:
  __device__ Fit(const DeviceJob& job, const Cut& cut, float* shared)
      : job_(job),
        cut_(cut),
        warp_(threadIdx.x / 32),
        g_(threadIdx.x % 32 / 4),
        t_(threadIdx.x % 4),
        left_(shared),
        right_(left_ + 2 * warps * left_size),
        last_(right_ + 2 * right_size),
        bias_(last_ + units),
        gradient_(bias_ + units + threadIdx.x),
        sums_(bias_ + units + 2 * own * threads) {}

  /// X A and X (W_start - A) of groups from .. to - 1.
  __device__ void start(unsigned from, unsigned to) {
    each_group(from, to, [&](unsigned k, unsigned row) {
      const SpanBlock& block = job_.span[k];
      const std::size_t tile = row / tile_rows + warp_;
      const float* x = job_.blocks[k].x + tile * job_.d * tile_rows;
      const auto values = [&](unsigned k0, float* to_left) { fetch_left(x, tile_rows, k0, job_.d, to_left); };
      Part products = {};
      multiply(job_.d, values, job_.theta + k * job_.d * job_.m, job_.m, job_.d, products);
      if (job_.anchor != nullptr) {
        Part anchored = {};
        multiply(job_.d, values, job_.anchor + k * job_.d * job_.m, job_.m, job_.d, anchored);
        write(anchored, block.anchored, row);
#pragma unroll
        for (unsigned j = 0; j < pieces; ++j)
#pragma unroll
          for (unsigned s = 0; s < 4; ++s) products.v[j][s] -= anchored.v[j][s];
      }
      write(products, block.started, row);
    });
  }

  /// Signals of the chunk's rounds, and the gradient of b_1, w_L and b_L into its row of `partial`.
  __device__ void chunk(unsigned c, float rho) {
    for (unsigned i = 0; i < 2 * own; ++i) gradient_[i * threads] = 0;
    error_ = 0;
    each_group(cut_.chunk_start(c), cut_.chunk_start(c + 1),
               [&](unsigned k, unsigned row) { forward(k, row, rho); });
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
    const unsigned d = job_.d, m = job_.m, column = first + warp_ * tile_rows;
    const unsigned rows = slabs(job_.blocks[k].rows) * slab;
    // Four rounds of a column at a time, from tiles that have them side by side.
    const auto turned = [&](unsigned r0, float* to_left) {
      for (unsigned i = threadIdx.x % 32; i < slab / 4 * tile_rows; i += 32) {
        const unsigned r = r0 + i / tile_rows * 4, j = i % tile_rows;
        const std::size_t tile = r / tile_rows;
        const float* from = x + (tile * d + column + j) * tile_rows + r % tile_rows;
        const float4 v = column + j < d ? __ldcg(reinterpret_cast<const float4*>(from)) : float4{0, 0, 0, 0};
        float* to = to_left + i / tile_rows * 4 * left_stride + j;
        to[0] = v.x;
        to[left_stride] = v.y;
        to[2 * left_stride] = v.z;
        to[3 * left_stride] = v.w;
      }
    };
    Part sums = {};
    multiply(rows, turned, job_.span[k].c, units, rows, sums);
    float* theta = job_.theta + k * d * m;
    const float* anchor = job_.anchor == nullptr ? nullptr : job_.anchor + k * d * m;
#pragma unroll
    for (unsigned j = 0; j < pieces; ++j)
#pragma unroll
      for (unsigned s = 0; s < 4; ++s) {
        const unsigned i = column + g_ + s / 2 * 8, u = unit(j, s % 2);
        if (i >= d || u >= m) continue;
        const float pulled = anchor == nullptr ? 0.0f : (1 - rho) * __ldg(anchor + i * m + u);
        __stcg(theta + i * m + u, rho * __ldcg(theta + i * m + u) + pulled + sums.v[j][s]);
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
  __device__ unsigned unit(unsigned j, unsigned second) const { return 8 * j + 2 * t_ + second; }
  // Of this thread's units of piece j in its round q of a group, in arrays of rows of 104.
  __device__ std::size_t place(unsigned row, unsigned q, unsigned j) const {
    return static_cast<std::size_t>(row + warp_ * tile_rows + g_ + 8 * q) * units + unit(j, 0);
  }
  __device__ void write(const Part& part, float* rows, unsigned row) const {
#pragma unroll
    for (unsigned q = 0; q < 2; ++q)
#pragma unroll
      for (unsigned j = 0; j < pieces; ++j)
        *reinterpret_cast<float2*>(rows + place(row, q, j)) = {part.v[j][2 * q], part.v[j][2 * q + 1]};
  }
  __device__ void add(Part& part, float factor, const float* rows, unsigned row) const {
#pragma unroll
    for (unsigned q = 0; q < 2; ++q)
#pragma unroll
      for (unsigned j = 0; j < pieces; ++j) {
        const float2 two = *reinterpret_cast<const float2*>(rows + place(row, q, j));
        part.v[j][2 * q] = fmaf(factor, two.x, part.v[j][2 * q]);
        part.v[j][2 * q + 1] = fmaf(factor, two.y, part.v[j][2 * q + 1]);
      }
  }

  // Lines k0 .. k0 + 31 of sixteen numbers, `stride` apart, into this warp's side of a slab; 0 past `count`.
  __device__ void fetch_left(const float* from, std::size_t stride, unsigned k0, unsigned count, float* to) const {
    for (unsigned i = threadIdx.x % 32; i < slab * 4; i += 32) {
      const unsigned k = k0 + i / 4;
      const bool there = k < count;
      copy_or_zero(to + i / 4 * left_stride + i % 4 * 4, from + (there ? k : 0) * stride + i % 4 * 4, there);
    }
  }
  // The thread block's common side: rows of 104; those past `count` and units past what there is are 0.
  __device__ void fetch_right(const float* from, unsigned ld, unsigned k0, unsigned count, float* to) const {
    for (unsigned i = threadIdx.x; i < right_size / 4; i += threads) {
      const unsigned k = k0 + i / (units / 4), four = i % (units / 4);
      const bool there = k < count && 4 * four < ld;
      copy_or_zero(to + 4 * i, there ? from + static_cast<std::size_t>(k) * ld + 4 * four : from, there);
    }
  }

  // sums += left right over `count` lines. `left(k0, to)` brings sixteen numbers of 32 lines; right: rows of
  // ld numbers.
  template <class Left>
  __device__ void multiply(unsigned count, Left&& left, const float* right, unsigned ld, unsigned right_count,
                           Part& sums) {
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
      multiply_slab(left_at(buffer), right_at(buffer), sums);
    }
  }

  __device__ void multiply_slab(const float* left, const float* right, Part& sums) const {
    Part part = {};
    const float *x = left + t_ * left_stride + g_, *w = right + t_ * units + g_;
#pragma unroll 1
    for (unsigned k = 0; k < slab; k += 8, x += 8 * left_stride, w += 8 * units) {
      const float* later = x + 4 * left_stride;
      const tensor::Halves a[4] = {tensor::nearest_halves(x[0]), tensor::nearest_halves(x[8]),
                                   tensor::nearest_halves(later[0]), tensor::nearest_halves(later[8])};
      tensor::Halves b[pieces][2];
#pragma unroll
      for (unsigned j = 0; j < pieces; ++j) {
        b[j][0] = tensor::halves(w[8 * j]);
        b[j][1] = tensor::halves(w[4 * units + 8 * j]);
      }
#pragma unroll
      for (unsigned j = 0; j < pieces; ++j)
        tensor::multiply(part.v[j], a[0].low, a[1].low, a[2].low, a[3].low, b[j][0].high, b[j][1].high);
#pragma unroll
      for (unsigned j = 0; j < pieces; ++j)
        tensor::multiply(part.v[j], a[0].high, a[1].high, a[2].high, a[3].high, b[j][0].low, b[j][1].low);
#pragma unroll
      for (unsigned j = 0; j < pieces; ++j)
        tensor::multiply(part.v[j], a[0].high, a[1].high, a[2].high, a[3].high, b[j][0].high, b[j][1].high);
    }
#pragma unroll
    for (unsigned j = 0; j < pieces; ++j)
#pragma unroll
      for (unsigned s = 0; s < 4; ++s) sums.v[j][s] += part.v[j][s];
  }

  __device__ void forward(unsigned k, unsigned row, float rho) {
    const SpanBlock& block = job_.span[k];
    const unsigned count = slabs(job_.blocks[k].rows) * slab;
    Part a;
#pragma unroll
    for (unsigned j = 0; j < pieces; ++j)
#pragma unroll
      for (unsigned s = 0; s < 4; ++s) a.v[j][s] = bias_[unit(j, s % 2)];
    add(a, rho, block.started, row);
    if (job_.anchor != nullptr) add(a, 1, block.anchored, row);
    const float* gram = block.gram + row + warp_ * tile_rows;
    const auto columns = [&](unsigned k0, float* to) { fetch_left(gram, block.ld, k0, count, to); };
    multiply(count, columns, block.c, units, count, a);
    signals(job_.blocks[k], row, a);
    write(a, block.signals, row);
  }

  // In place of the activations; the gradients above beside them.
  __device__ void signals(const BlockRows& rows, unsigned row, Part& a) {
    float f[2] = {0, 0};
#pragma unroll
    for (unsigned j = 0; j < pieces; ++j)
#pragma unroll
      for (unsigned s = 0; s < 4; ++s)
        f[s / 2] = fmaf(fmaxf(a.v[j][s], 0.0f), last_[unit(j, s % 2)], f[s / 2]);
    float e[2];
#pragma unroll
    for (unsigned q = 0; q < 2; ++q) {
      f[q] += __shfl_xor_sync(~0u, f[q], 1);
      f[q] += __shfl_xor_sync(~0u, f[q], 2);
      const unsigned r = row + warp_ * tile_rows + g_ + 8 * q;
      const float weight = rows.weights == nullptr ? 1.0f : __ldg(rows.weights + r);
      const float factor = r < rows.rows ? job_.weight * job_.scale * weight : 0.0f;
      e[q] = (job_.scale * (f[q] + output_bias_) - __ldg(rows.rewards + r)) * factor;
      error_ += e[q];
    }
#pragma unroll
    for (unsigned j = 0; j < pieces; ++j)
#pragma unroll
      for (unsigned s = 0; s < 2; ++s) {
        float &first = a.v[j][s], &second = a.v[j][2 + s];
        float *last_sum = gradient_ + (2 * j + s) * threads, *bias_sum = last_sum + own * threads;
        const float last = last_[unit(j, s)];
        *last_sum += fmaf(e[0], fmaxf(first, 0.0f), e[1] * fmaxf(second, 0.0f));
        first = first > 0 ? e[0] * last : 0.0f;
        second = second > 0 ? e[1] * last : 0.0f;
        *bias_sum += first + second;
      }
  }

  // Over the rounds of a warp, then over the warps.
  __device__ void write_above(float* out) {
    float *last_sums = sums_ + warps * units, *errors = last_sums + warps * units;
    const auto over_rounds = [](float value) {
#pragma unroll
      for (unsigned apart = 4; apart < 32; apart *= 2) value += __shfl_xor_sync(~0u, value, apart);
      return value;
    };
    __syncthreads();
    for (unsigned i = 0; i < own; ++i) {
      const float last = over_rounds(gradient_[i * threads]);
      const float bias = over_rounds(gradient_[(own + i) * threads]);
      if (g_ == 0) {
        last_sums[warp_ * units + unit(i / 2, i % 2)] = last;
        sums_[warp_ * units + unit(i / 2, i % 2)] = bias;
      }
    }
    error_ = over_rounds(error_);
    if (g_ == 0 && t_ == 0) errors[warp_] = error_;
    __syncthreads();
    const unsigned m = job_.m, u = threadIdx.x;
    const auto sum = [&](const float* rows) {
      return rows[u] + rows[units + u] + rows[2 * units + u] + rows[3 * units + u];
    };
    if (job_.biases && u < m) __stcg(out + u, sum(sums_));
    if (job_.biases) out += m;
    if (u < m) __stcg(out + u, sum(last_sums));
    if (job_.biases && u == 0) __stcg(out + m, errors[0] + errors[1] + errors[2] + errors[3]);
    __syncthreads();
  }

  const DeviceJob& job_;
  const Cut& cut_;
  const unsigned warp_, g_, t_;
  float *left_, *right_, *last_, *bias_;
  float* gradient_;  // of w_L's units, then b_1's, `threads` apart; this thread's alone
  float* sums_;
  float output_bias_ = 0, error_ = 0;
};

/// A cluster per job. Launched with `threads` threads and shared_numbers() floats of shared memory a block.
/// REQUIRES job.span; m % 4 == 0, m <= 104, L == 2; descent, or momentum that starts at rest; C and its
/// velocity 0.
__global__ void __launch_bounds__(threads, 2) fit(const DeviceJob* jobs) {
  extern __shared__ float4 shared[];
  Training& training = shared_training();
  training.begin(jobs, height, chunk_tiles_min);
  const DeviceJob& job = training.job;
  const Cut& cut = training.cut;
  Fit fit(job, cut, reinterpret_cast<float*>(shared));
  const unsigned rank = training.rank, ranks = training.ranks;
  const unsigned first = cut.chunk_start(training.from), end = cut.chunk_start(training.to);
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
