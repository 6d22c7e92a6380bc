// One hidden layer of up to 104 units over blocks of few columns: everything a tile needs stays in registers and shared memory.
//
// A group of Q warps takes tiles of 16 Q rounds. Forward, a warp has 16 rounds x 104 units (a thread 4 x 13); backward, it has
// 4 TI columns x 104 units of the block's gradient (a thread TI x 13), which stay in its registers from tile to tile. Four warps are
// a thread block; the thread blocks of a cluster share a training by chunks, and meet at the end of every step.
//
//   X  (d + 1) x 16 Q  values of the tile's rounds, and a line of ones      W  d x 104  W_1' of the present block
//   S  16 Q x 104      e_r where unit u of round r is active, else 0        H = X S     (d + 1) x 104
// with e_r = scale * weight * residual of round r. The gradients follow from H, block by block:
//   W_1'[i][u]: w_L[u] H[i][u]     b_1[u]: w_L[u] H[d][u]     w_L[u]: sum_i W[i][u] H[i][u] + b_1[u] H[d][u]     b_L: sum_r e_r
// (an active unit's output is linear in its weights: the activations themselves need not be multiplied again).
#pragma once

#include <cooperative_groups.h>

#include "model/cuda/chunks.cuh"

namespace neuralts::cuda {

namespace narrow {

constexpr unsigned units = 104, lanes = 8, own = 13;  // units of a layer, threads across them, units of a thread
constexpr unsigned warps = 4, threads = 32 * warps;

/// Lines of X that the group can take: d + 1 at most.
__host__ __device__ constexpr unsigned lines(unsigned TI, unsigned Q) { return 4 * TI * Q; }
__host__ __device__ constexpr unsigned stride_x(unsigned Q) { return tile_rows * Q + 4; }  // keeps lines in different banks

/// Shared memory of a thread block, in numbers: W, w_L, b_1, X twice, S, the warps' sums of e.
__host__ __device__ constexpr unsigned shared_numbers(unsigned d, unsigned TI, unsigned Q) {
  return d * units + 2 * units + warps / Q * 2 * lines(TI, Q) * stride_x(Q) + warps * tile_rows * units + 2 * units;
}

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

__device__ inline void copy_async(float* to, const float* from) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from));
}
__device__ inline void end_copies() { asm volatile("cp.async.commit_group;"); }
__device__ inline void wait_copies() { asm volatile("cp.async.wait_group 0;" ::: "memory"); }

/// REQUIRES d < lines(TI, Q), m <= units.
template <unsigned TI, unsigned Q>
class Fit {
  static_assert(Q == 1 || Q == 2);

 public:
  __device__ Fit(const DeviceJob& job, const Cut& cut, float* shared)
      : job_(job), cut_(cut), warp_(threadIdx.x / 32), group_(warp_ / Q), part_(warp_ % Q), lane_(threadIdx.x % lanes),
        line_(threadIdx.x % 32 / lanes), d_(job.d), scale_(job.scale), w_(shared), last_(w_ + d_ * units), bias_(last_ + units),
        x_(bias_ + units), s_(x_ + groups * x_size * 2), sums_(s_ + warps * tile_rows * units) {
    for (unsigned i = threadIdx.x; i < groups * x_size * 2; i += threads) x_[i] = i % x_size / ldx == d_ ? 1.0f : 0.0f;
    x_ += group_ * x_size * 2;
  }

  /// The gradient of chunk c, into its row of `partial`.
  __device__ void chunk(unsigned c) {
    const unsigned from = cut_.chunk_start(c), to = cut_.chunk_start(c + 1), m = job_.m, u = threadIdx.x;
    float* out = job_.partial + static_cast<std::size_t>(c) * job_.ld;
    bias_gradient_ = last_gradient_ = error_ = 0;
    for (unsigned k = 0; k < job_.K; ++k) {
      const unsigned begin = max(from, cut_.start[k]), end = min(to, cut_.start[k + 1]);
      if (begin < end) segment(k, begin - cut_.start[k], end - cut_.start[k], out + k * d_ * m);
    }
    out += job_.K * d_ * m;
    if (job_.biases && u < m) __stcg(out + u, bias_gradient_);
    if (job_.biases) out += m;
    if (u < m) __stcg(out + u, last_gradient_);
    const float error = sum_of_errors();
    if (job_.biases && u == 0) __stcg(out + m, error);
  }

  /// The weights are to be read anew: the parameters have moved.
  __device__ void forget_weights() { block_ = ~0u; }

 private:
  static constexpr unsigned groups = warps / Q, height = tile_rows * Q, ldx = stride_x(Q), x_size = lines(TI, Q) * ldx;

  __device__ static void sync_group(unsigned group) {
    if constexpr (Q == 1)
      __syncwarp();
    else if (group == 0)  // names known to the compiler: it reserves no others
      asm volatile("bar.sync 1, %0;" ::"n"(32 * Q) : "memory");
    else
      asm volatile("bar.sync 2, %0;" ::"n"(32 * Q) : "memory");
  }

  // Tiles begin .. end - 1 of block k.
  __device__ void segment(unsigned k, unsigned begin, unsigned end, float* out) {
    const BlockRows rows = job_.blocks[k];
    fetch(rows, begin + group_, end, 0);
    if (k != block_) read_weights(k);
#pragma unroll
    for (unsigned i = 0; i < TI; ++i) h_[i] = Units{};
    unsigned buffer = 0;
#pragma unroll 1
    for (unsigned tile = begin + group_; tile < end; tile += groups, buffer ^= 1) {
      wait_copies();
      sync_group(group_);
      fetch(rows, tile + groups, end, buffer ^ 1);
      const float* x = x_ + buffer * x_size;
      forward(rows, tile, x);
      sync_group(group_);
      backward(x);
      sync_group(group_);
    }
    write_gradient(out);
  }

  // This warp's 16 rounds of a tile on their way to shared memory.
  __device__ void fetch(const BlockRows& rows, unsigned tile, unsigned end, unsigned buffer) const {
    if (tile < end) {
      const float* from = rows.x + static_cast<std::size_t>(tile * Q + part_) * d_ * tile_rows;
      float* to = x_ + buffer * x_size + part_ * tile_rows;
      for (unsigned i = threadIdx.x % 32; i < d_ * 4; i += 32) copy_async(to + i / 4 * ldx + i % 4 * 4, from + 4 * i);
    }
    end_copies();
  }

  // A row of m parameters into a row of 104, whichever of the two ways fits their place in memory.
  __device__ void read_rows(const float* from, unsigned count, float* to) const {
    const unsigned m = job_.m;
    if (m % 4 == 0) {
#pragma unroll 4
      for (unsigned i = threadIdx.x; i < count * (units / 4); i += threads) {
        const unsigned row = i / (units / 4), four = i % (units / 4);
        const bool there = 4 * four < m;
        reinterpret_cast<float4*>(to)[i] = there ? __ldcg(reinterpret_cast<const float4*>(from) + row * (m / 4) + four) : float4{0, 0, 0, 0};
      }
    } else {
      for (unsigned i = threadIdx.x; i < count * units; i += threads) to[i] = i % units < m ? __ldcg(from + i / units * m + i % units) : 0.0f;
    }
  }

  __device__ void read_weights(unsigned k) {
    __syncthreads();
    const unsigned m = job_.m;
    read_rows(job_.theta + k * d_ * m, d_, w_);
    if (block_ == ~0u) {
      const float* above = job_.theta + job_.K * d_ * m;
      const float* last = above + (job_.biases ? m : 0);
      read_rows(last, 1, last_);
      if (job_.biases)
        read_rows(above, 1, bias_);
      else if (threadIdx.x < units)
        bias_[threadIdx.x] = 0;
      output_bias_ = job_.biases ? __ldcg(last + m) : 0.0f;
    }
    block_ = k;
    __syncthreads();
  }

  // Products, outputs, residuals and S of 16 rounds.
  __device__ void forward(const BlockRows& rows, unsigned tile, const float* x) {
    const unsigned row = tile * height + part_ * tile_rows + 4 * line_;
    const float4 rewards = __ldg(reinterpret_cast<const float4*>(rows.rewards + row));
    const float4 weights = rows.weights == nullptr ? float4{1, 1, 1, 1} : __ldg(reinterpret_cast<const float4*>(rows.weights + row));
    const float factor = job_.weight * scale_;
    Units a[4];
    products(x + part_ * tile_rows + 4 * line_, a);
    float f[4] = {0, 0, 0, 0};
    const Units last = Units::read(last_, lane_);
#pragma unroll
    for (unsigned j = 0; j < own; ++j)
#pragma unroll
      for (unsigned q = 0; q < 4; ++q) f[q] = fmaf(fmaxf(a[q].v[j], 0.0f), last.v[j], f[q]);
#pragma unroll
    for (unsigned apart = 1; apart < lanes; apart *= 2)
#pragma unroll
      for (unsigned q = 0; q < 4; ++q) f[q] += __shfl_xor_sync(~0u, f[q], apart);
    float* s = s_ + (group_ * height + part_ * tile_rows + 4 * line_) * units;
#pragma unroll
    for (unsigned q = 0; q < 4; ++q) {
      const float e = (scale_ * (f[q] + output_bias_) - part(rewards, q)) * (row + q < rows.rows ? factor * part(weights, q) : 0.0f);
      error_ += e;
#pragma unroll
      for (unsigned j = 0; j < own; ++j) a[q].v[j] = a[q].v[j] > 0 ? e : 0.0f;
      a[q].write(s + q * units, lane_);
    }
  }

  // a: 4 rounds x 13 units of b_1 + W_1 x. What the next column needs is on its way while this one is multiplied; the last reads go
  // past the end, into shared memory that holds other numbers, and are not used.
  __device__ void products(const float* x, Units (&a)[4]) const {
    struct Column {
      float4 x;
      Units w;
    };
    const auto read = [&](unsigned k) { return Column{*reinterpret_cast<const float4*>(x + k * ldx), Units::read(w_ + k * units, lane_)}; };
    const auto add = [&](const Column& column) {
#pragma unroll
      for (unsigned q = 0; q < 4; ++q) a[q].add(part(column.x, q), column.w);
    };
    Column even = read(0), odd = read(1);
    const Units bias = Units::read(bias_, lane_);
#pragma unroll
    for (unsigned q = 0; q < 4; ++q)
#pragma unroll
      for (unsigned j = 0; j < own; ++j) a[q].v[j] = fmaf(part(even.x, q), even.w.v[j], bias.v[j]);
    unsigned k = 1;
#pragma unroll 1
    for (; k + 1 < d_; k += 2) {
      even = read(k + 1);
      add(odd);
      odd = read(k + 2);
      add(even);
    }
    if (k < d_) add(odd);
  }

  // H += X S over the group's rounds, four at a time.
  __device__ void backward(const float* x) {
    const float* own_x = x + (part_ * 4 + line_) * TI * ldx;
    const float* s = s_ + group_ * height * units;
    Units signal = Units::read(s, lane_);
#pragma unroll 2
    for (unsigned row = 0; row < height; row += 4) {
      float4 values[TI];
#pragma unroll
      for (unsigned i = 0; i < TI; ++i) values[i] = *reinterpret_cast<const float4*>(own_x + i * ldx + row);
#pragma unroll
      for (unsigned q = 0; q < 4; ++q) {
        const Units next = Units::read(s + (row + q + 1) * units, lane_);  // past the end once: not used then
#pragma unroll
        for (unsigned i = 0; i < TI; ++i) h_[i].add(part(values[i], q), signal);
        signal = next;
      }
    }
  }

  // The groups' parts of H are summed one after the other, where S was; then the gradients.
  __device__ void write_gradient(float* out) {
    __syncthreads();
    for (unsigned group = 0; group < groups; ++group) {
      if (group == group_) {
#pragma unroll
        for (unsigned i = 0; i < TI; ++i) {
          float* row = s_ + ((part_ * 4 + line_) * TI + i) * units;
          if (group > 0) h_[i].add(1, Units::read(row, lane_));
          h_[i].write(row, lane_);
        }
      }
      __syncthreads();
    }
    const unsigned m = job_.m, u = threadIdx.x;
    if (u < m) {
      const float last = last_[u], ones = s_[d_ * units + u];
      float sum = bias_[u] * ones;
      for (unsigned i = 0; i < d_; ++i) {
        const float h = s_[i * units + u];
        sum = fmaf(w_[i * units + u], h, sum);
        __stcg(out + i * m + u, last * h);
      }
      last_gradient_ += sum;
      bias_gradient_ += last * ones;
    }
    __syncthreads();
  }

  // Over all rounds of the chunk, in every thread.
  __device__ float sum_of_errors() {
#pragma unroll
    for (unsigned apart = lanes; apart < 32; apart *= 2) error_ += __shfl_xor_sync(~0u, error_, apart);
    if (threadIdx.x % 32 == 0) sums_[warp_] = error_;
    __syncthreads();
    const float sum = sums_[0] + sums_[1] + sums_[2] + sums_[3];
    __syncthreads();
    return sum;
  }

  const DeviceJob& job_;
  const Cut& cut_;
  const unsigned warp_, group_, part_, lane_, line_, d_;  // part: of the group; line: of four rounds, or of TI lines of X
  const float scale_;
  float *w_, *last_, *bias_, *x_, *s_, *sums_;
  unsigned block_ = ~0u;  // whose W_1 is there
  float output_bias_ = 0;
  Units h_[TI];
  float bias_gradient_, last_gradient_, error_;  // of unit threadIdx.x; of this thread's rounds
};

/// A cluster per job. Launched with `threads` threads and shared_numbers() floats of shared memory a block.
template <unsigned TI, unsigned Q>
__global__ void __launch_bounds__(threads, 2) fit(const DeviceJob* jobs) {
  extern __shared__ float4 shared[];
  __shared__ DeviceJob job;
  __shared__ Cut cut;
  __shared__ StepLength step;
  const auto cluster = cooperative_groups::this_cluster();
  const unsigned ranks = cluster.num_blocks(), rank = cluster.block_rank();
  if (threadIdx.x == 0) {
    job = jobs[blockIdx.x / ranks];
    cut.make(job, tile_rows * Q, warps / Q);
  }
  __syncthreads();
  StepClock clock(job);
  Fit<TI, Q> fit(job, cut, reinterpret_cast<float*>(shared));
  const unsigned share = (cut.chunks + ranks - 1) / ranks, from = rank * share, to = min(cut.chunks, from + share);
  for (unsigned j = 0; j < job.steps; ++j) {
    fit.forget_weights();
    for (unsigned c = from; c < to; ++c) fit.chunk(c);
    if (threadIdx.x == 0) step = clock.next(job);
    __syncthreads();
    cluster.sync();
    end_step(job, step, cut.chunks, cut.ranges, rank, ranks);
    cluster.sync();
  }
}

}  // namespace narrow

}  // namespace neuralts::cuda
