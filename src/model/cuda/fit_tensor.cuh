// One hidden layer of up to 128 units over blocks of up to 55 columns, on tensor cores, with the accuracy of
// float32.
//
// A thread block of four warps takes tiles of 64 rounds; a warp has 32 units of all of them, as two matrices of
// 16 rows. The thread blocks of a cluster share a training by chunks, and meet at the end of every step.
//
//   X  8 N x 64      values of the tile's rounds, then a line of ones (for b_1), then zeros
//   W  units x 8 N   W_1 of the present block, b_1 beside it
//   A = W X          units x 64, and P = 1 where A > 0, else 0
//   H = P E X'       units x 8 N, with E the diagonal of e_r = scale * weight * residual of round r
// The gradients follow from H, block by block:
//   W_1[u][i]: w_L[u] H[u][i]   b_1[u]: w_L[u] H[u][d]   w_L[u]: sum_i W[u][i] H[u][i]   b_L: sum_r e_r
// (an active unit's output is linear in its weights: the activations themselves need not be multiplied again).
//
// A tensor core multiplies numbers of 11 significant bits (TF32) and sums in float32. A number is split in two
// such, high + low; W X is three products (low low is below rounding), P (E X') two, as P is exact. Sums of more
// than a tile are ordinary additions: those inside tensor cores do not round to nearest.
//
// Fragments of m16n8k8, g = lane / 4, t = lane % 4:
//   left (g, t) (g + 8, t) (g, t + 4) (g + 8, t + 4)   right (t, g) (t + 4, g)
//   sums (g, 2t) (g, 2t + 1) (g + 8, 2t) (g + 8, 2t + 1)
// The order of what is summed over is free. Rounds: place t is round 2t, place t + 4 round 2t + 1, so that A's
// fragments become P's in their registers. Columns of eight: place t is column t, place t + 4 column 4 + (t ^ 2),
// and the same for H's, so that W and H meet in a thread, and no two threads read from one bank of shared memory.
#pragma once

#include "model/cuda/chunks.cuh"
#include "model/cuda/copies.cuh"

namespace neuralts::cuda {

namespace tensor {

constexpr unsigned warps = 4, threads = 32 * warps;
constexpr unsigned matrices = 2, units = 16 * matrices * warps;  // of a warp; of a layer
constexpr unsigned height = 64, pieces = height / 8;             // rounds of a tile; eight of them are a piece
constexpr unsigned stride = height + 8;                          // from line to line of X
constexpr unsigned chunk_tiles_min = 8;

/// Columns that N groups of eight can take: d + 1 at most.
__host__ __device__ constexpr unsigned lines(unsigned N) { return 8 * N; }

/// Shared memory of a thread block, in numbers: W, H, X twice, the warps' parts of outputs, e for each warp.
__host__ __device__ constexpr unsigned shared_numbers(unsigned N) {
  return 2 * matrices * N * 4 * threads + 2 * lines(N) * stride + 2 * warps * height;
}

/// x = high + low up to 2^-21 of it. What lies below a number's 11 bits, tensor cores ignore.
struct Halves {
  unsigned high, low;
};
__device__ inline Halves halves(float x) {
  const unsigned high = __float_as_uint(x) & 0xffffe000u;
  return {high, __float_as_uint(x - __uint_as_float(high))};
}
/// The same to nearest, so that the product of low halves, which is left out, is as often above 0 as below.
__device__ inline Halves nearest_halves(float x) {
  const unsigned high = (__float_as_uint(x) + 0x1000u) & 0xffffe000u;
  return {high, __float_as_uint(x - __uint_as_float(high))};
}

/// sums += left right. In the order written: the compiler would put products that wait for each other
/// side by side.
__device__ inline void multiply(float (&sums)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3,
                                unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

template <unsigned N>
class Fit {
 public:
  __device__ Fit(const DeviceJob& job, const Cut& cut, float* shared)
      : job_(job),
        cut_(cut),
        warp_(threadIdx.x / 32),
        lane_(threadIdx.x % 32),
        g_(lane_ / 4),
        t_(lane_ % 4),
        d_(job.d),
        both_(32 * warp_ + 16 < job.m),
        scale_(job.scale),
        factor_(job.weight * job.scale),
        w_(reinterpret_cast<float4*>(shared) + threadIdx.x),
        h_(w_ + matrices * N * threads),
        x_(shared + 2 * matrices * N * 4 * threads),
        parts_(x_ + 2 * x_size),
        errors_(parts_ + (warps + warp_) * height) {
    for (unsigned i = threadIdx.x; i < 2 * x_size; i += threads)
      x_[i] = i % x_size / stride == d_ ? 1.0f : 0.0f;
    __syncthreads();
  }

  /// The weights are to be read anew: the parameters have moved.
  __device__ void begin_step() { block_ = ~0u; }

  /// The gradient of chunk c, into its row of `partial`.
  __device__ void chunk(unsigned c) {
    const unsigned from = cut_.chunk_start(c), to = cut_.chunk_start(c + 1), m = job_.m;
    float* out = job_.partial + static_cast<std::size_t>(c) * job_.ld;
    error_ = 0;
#pragma unroll
    for (unsigned v = 0; v < 2 * matrices; ++v) bias_gradient_[v] = last_gradient_[v] = 0;
    for (unsigned k = 0; k < job_.K; ++k) {
      const unsigned begin = max(from, cut_.start[k]), end = min(to, cut_.start[k + 1]);
      if (begin < end) segment(k, begin - cut_.start[k], end - cut_.start[k], out + k * d_ * m);
    }
    out += job_.K * d_ * m;
    if (job_.biases) {
      write_units(bias_gradient_, out);
      out += m;
    }
    write_units(last_gradient_, out);
    if (job_.biases && warp_ == 0) write_error(out + m);
  }

 private:
  static constexpr unsigned x_size = lines(N) * stride;

  __device__ unsigned unit(unsigned v) const { return 32 * warp_ + 8 * v + g_; }  // of four; matrix v / 2
  __device__ unsigned column(unsigned n, unsigned second) const { return 8 * n + (second ? 4 + (t_ ^ 2) : t_); }

  // Tiles begin .. end - 1 of block k.
  __device__ void segment(unsigned k, unsigned begin, unsigned end, float* out) {
    const BlockRows rows = job_.blocks[k];
    __syncthreads();
    fetch(rows, begin, end, 0);
    if (k != block_) read_weights(k);
    for (unsigned n = 0; n < matrices * N; ++n) h_[n * threads] = {0, 0, 0, 0};
    unsigned buffer = 0;
#pragma unroll 1
    for (unsigned tile = begin; tile < end; ++tile, buffer ^= 1) {
      wait_copies();
      __syncthreads();
      fetch(rows, tile + 1, end, buffer ^ 1);
      const float* x = x_ + buffer * x_size;
      float2 rewards, factors;
      read_rounds(rows, tile * height + 2 * lane_, rewards, factors);
      both_ ? forward<2>(x) : forward<1>(x);
      __syncthreads();
      residuals(rewards, factors);
      both_ ? backward<2>(x) : backward<1>(x);
    }
    write_gradient(out);
  }

  // A warp's 16 rounds of a tile on their way to shared memory.
  __device__ void fetch(const BlockRows& rows, unsigned tile, unsigned end, unsigned buffer) const {
    if (tile < end) {
      const float* from = rows.x + static_cast<std::size_t>(tile * warps + warp_) * d_ * tile_rows + 4 * lane_;
      float* to = x_ + buffer * x_size + warp_ * tile_rows + g_ * stride + 4 * t_;
      for (unsigned line = g_; line < d_; line += 8, from += 8 * tile_rows, to += 8 * stride)
        copy_async(to, from);
    }
    end_copies();
  }

  // Of two rounds.
  __device__ void read_rounds(const BlockRows& rows, unsigned row, float2& rewards, float2& factors) const {
    rewards = __ldg(reinterpret_cast<const float2*>(rows.rewards + row));
    const float2 weights =
        rows.weights == nullptr ? float2{1, 1} : __ldg(reinterpret_cast<const float2*>(rows.weights + row));
    factors = {row < rows.rows ? factor_ * weights.x : 0.0f, row + 1 < rows.rows ? factor_ * weights.y : 0.0f};
  }

  // Each thread its own fragments of W; no other reads them.
  __device__ void read_weights(unsigned k) {
    const unsigned m = job_.m;
    const float *own = job_.theta + k * d_ * m, *above = job_.theta + job_.K * d_ * m,
                *last = above + (job_.biases ? m : 0);
    const auto weight = [&](unsigned column, unsigned u) {
      if (u >= m || column > d_ || (column == d_ && !job_.biases)) return 0.0f;
      return __ldcg(column < d_ ? own + column * m + u : above + u);
    };
#pragma unroll
    for (unsigned i = 0; i < matrices; ++i)
#pragma unroll
      for (unsigned n = 0; n < N; ++n)
        w_[(i * N + n) * threads] = {weight(column(n, 0), unit(2 * i)), weight(column(n, 0), unit(2 * i + 1)),
                                     weight(column(n, 1), unit(2 * i)), weight(column(n, 1), unit(2 * i + 1))};
    if (block_ == ~0u) {
#pragma unroll
      for (unsigned v = 0; v < 2 * matrices; ++v) last_[v] = unit(v) < m ? __ldcg(last + unit(v)) : 0.0f;
      output_bias_ = job_.biases ? __ldcg(last + m) : 0.0f;
    }
    block_ = k;
  }

  // A of the tile, then P in its place, and this warp's part of the outputs. M: the matrices that have units.
  template <unsigned M>
  __device__ void forward(const float* x) {
#pragma unroll
    for (unsigned i = 0; i < M; ++i)
#pragma unroll
      for (unsigned j = 0; j < pieces; ++j)
#pragma unroll
        for (unsigned s = 0; s < 4; ++s) p_[i][j][s] = 0;
    const float *first = x + t_ * stride + g_, *second = x + (4 + (t_ ^ 2)) * stride + g_;
#pragma unroll 1
    for (unsigned n = 0; n < N; ++n, first += 8 * stride, second += 8 * stride) {
      Halves w[M][4];
#pragma unroll
      for (unsigned i = 0; i < M; ++i) {
        const float4 four = w_[(i * N + n) * threads];
        w[i][0] = nearest_halves(four.x);
        w[i][1] = nearest_halves(four.y);
        w[i][2] = nearest_halves(four.z);
        w[i][3] = nearest_halves(four.w);
      }
      constexpr unsigned abreast = 4;  // M times as many products under way do not wait for each other
#pragma unroll
      for (unsigned j0 = 0; j0 < pieces; j0 += abreast) {
        Halves a[abreast], b[abreast];
#pragma unroll
        for (unsigned j = 0; j < abreast; ++j) {
          a[j] = halves(first[8 * (j0 + j)]);
          b[j] = halves(second[8 * (j0 + j)]);
        }
        const auto each = [&](auto&& product) {
#pragma unroll
          for (unsigned j = 0; j < abreast; ++j)
#pragma unroll
            for (unsigned i = 0; i < M; ++i) product(p_[i][j0 + j], w[i], a[j], b[j]);
        };
        each([](float(&sums)[4], const Halves(&w)[4], const Halves& a, const Halves& b) {
          multiply(sums, w[0].low, w[1].low, w[2].low, w[3].low, a.high, b.high);
        });
        each([](float(&sums)[4], const Halves(&w)[4], const Halves& a, const Halves& b) {
          multiply(sums, w[0].high, w[1].high, w[2].high, w[3].high, a.low, b.low);
        });
        each([](float(&sums)[4], const Halves(&w)[4], const Halves& a, const Halves& b) {
          multiply(sums, w[0].high, w[1].high, w[2].high, w[3].high, a.high, b.high);
        });
      }
    }
    outputs<M>();
  }

  template <unsigned M>
  __device__ void outputs() {
    float f[pieces][2];
#pragma unroll
    for (unsigned j = 0; j < pieces; ++j)
#pragma unroll
      for (unsigned r = 0; r < 2; ++r) {
        f[j][r] = 0;
#pragma unroll
        for (unsigned v = 0; v < 2 * M; ++v) {
          float& a = p_[v / 2][j][v % 2 * 2 + r];
          f[j][r] = fmaf(fmaxf(a, 0.0f), last_[v], f[j][r]);
          a = a > 0 ? 1.0f : 0.0f;
        }
      }
    sum_over_lanes(f);
    reinterpret_cast<float2*>(parts_ + warp_ * height)[lane_] = {f[0][0], f[0][1]};
  }

  // Over the eight g. Each gives half of what it has away, three times: lane g is left with piece g, in f[0].
  __device__ void sum_over_lanes(float (&f)[pieces][2]) const {
#pragma unroll
    for (unsigned half = pieces / 2; half > 0; half /= 2) {
      const bool upper = (g_ & half) != 0;
#pragma unroll
      for (unsigned j = 0; j < half; ++j)
#pragma unroll
        for (unsigned r = 0; r < 2; ++r) {
          const float kept = upper ? f[j + half][r] : f[j][r], given = upper ? f[j][r] : f[j + half][r];
          f[j][r] = kept + __shfl_xor_sync(~0u, given, 4 * half);
        }
    }
  }

  // e of the tile's rounds, by every warp for itself: cheaper than to wait for each other once more.
  __device__ void residuals(const float2& rewards, const float2& factors) {
    float2 f = {output_bias_, output_bias_};
#pragma unroll
    for (unsigned w = 0; w < warps; ++w) {
      const float2 part = reinterpret_cast<const float2*>(parts_ + w * height)[lane_];
      f.x += part.x;
      f.y += part.y;
    }
    const float2 e = {(scale_ * f.x - rewards.x) * factors.x, (scale_ * f.y - rewards.y) * factors.y};
    reinterpret_cast<float2*>(errors_)[lane_] = e;
    error_ += e.x + e.y;
    __syncwarp();
  }

  // H += P E X'.
  template <unsigned M>
  __device__ void backward(const float* x) {
    float2 e[pieces];
#pragma unroll
    for (unsigned j = 0; j < pieces; ++j) e[j] = reinterpret_cast<const float2*>(errors_)[4 * j + t_];
    __syncwarp();  // before any lane writes the next tile's
    const float* line = x + (g_ % 2 ? 4 + (g_ / 2 ^ 2) : g_ / 2) * stride + 2 * t_;
#pragma unroll 1
    for (unsigned n = 0; n < N; ++n, line += 8 * stride) {
      float high[M][4] = {}, low[M][4] = {};
#pragma unroll
      for (unsigned j = 0; j < pieces; ++j) {
        const float2 values = *reinterpret_cast<const float2*>(line + 8 * j);
        const Halves a = halves(values.x * e[j].x), b = halves(values.y * e[j].y);
        const auto p = [&](unsigned i, unsigned s) { return __float_as_uint(p_[i][j][s]); };
#pragma unroll
        for (unsigned i = 0; i < M; ++i) multiply(high[i], p(i, 0), p(i, 2), p(i, 1), p(i, 3), a.high, b.high);
#pragma unroll
        for (unsigned i = 0; i < M; ++i) multiply(low[i], p(i, 0), p(i, 2), p(i, 1), p(i, 3), a.low, b.low);
      }
#pragma unroll
      for (unsigned i = 0; i < M; ++i) {
        float4 h = h_[(i * N + n) * threads];
        h.x += high[i][0] + low[i][0];
        h.y += high[i][1] + low[i][1];
        h.z += high[i][2] + low[i][2];
        h.w += high[i][3] + low[i][3];
        h_[(i * N + n) * threads] = h;
      }
    }
  }

  __device__ void write_gradient(float* out) {
#pragma unroll
    for (unsigned i = 0; i < matrices; ++i)
      for (unsigned n = 0; n < N; ++n) {
        const float4 w = w_[(i * N + n) * threads], h = h_[(i * N + n) * threads];
        write_two(out, n, 2 * i, w.x, w.z, h.x, h.y);
        write_two(out, n, 2 * i + 1, w.y, w.w, h.z, h.w);
      }
  }
  // Of unit v, both columns.
  __device__ void write_two(float* out, unsigned n, unsigned v, float w0, float w1, float h0, float h1) {
    const unsigned m = job_.m, u = unit(v), c0 = column(n, 0), c1 = column(n, 1);
    last_gradient_[v] += fmaf(w0, h0, w1 * h1);
    if (c0 == d_) bias_gradient_[v] += last_[v] * h0;
    if (c1 == d_) bias_gradient_[v] += last_[v] * h1;
    if (c0 < d_ && u < m) __stcg(out + c0 * m + u, last_[v] * h0);
    if (c1 < d_ && u < m) __stcg(out + c1 * m + u, last_[v] * h1);
  }

  // Sums over columns, which lie in four lanes.
  __device__ void write_units(const float (&gradient)[2 * matrices], float* out) const {
#pragma unroll
    for (unsigned v = 0; v < 2 * matrices; ++v) {
      float sum = gradient[v];
      sum += __shfl_xor_sync(~0u, sum, 1);
      sum += __shfl_xor_sync(~0u, sum, 2);
      if (t_ == 0 && unit(v) < job_.m) __stcg(out + unit(v), sum);
    }
  }

  // Over all rounds of the chunk; every warp has them all.
  __device__ void write_error(float* out) const {
    float sum = error_;
#pragma unroll
    for (unsigned apart = 1; apart < 32; apart *= 2) sum += __shfl_xor_sync(~0u, sum, apart);
    if (lane_ == 0) __stcg(out, sum);
  }

  const DeviceJob& job_;
  const Cut& cut_;
  const unsigned warp_, lane_, g_, t_, d_;
  const bool both_;  // matrices of this warp have units
  const float scale_, factor_;
  float4 *w_, *h_;  // matrices x N of each, `threads` apart; this thread's alone
  float *x_, *parts_, *errors_;
  unsigned block_ = ~0u;  // whose W is there
  float output_bias_ = 0, error_ = 0;
  float p_[matrices][pieces][4];
  float last_[2 * matrices], bias_gradient_[2 * matrices], last_gradient_[2 * matrices];
};

/// A cluster per job. Launched with `threads` threads and shared_numbers() floats of shared memory a block.
/// REQUIRES d < lines(N), m <= units, L == 2.
template <unsigned N>
__global__ void __launch_bounds__(threads, 2) fit(const DeviceJob* jobs) {
  extern __shared__ float4 shared[];
  Training& training = shared_training();
  training.begin(jobs, height, chunk_tiles_min);
  Fit<N> fit(training.job, training.cut, reinterpret_cast<float*>(shared));
  training.take_steps(fit);
}

}  // namespace tensor

}  // namespace neuralts::cuda
