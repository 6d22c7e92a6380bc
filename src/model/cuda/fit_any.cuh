// Any depth, units and columns whose activations of 16 rounds fit in shared memory: the plain twin of
// fit_tensor, and what measures steps. A thread has one unit of 16 rounds; weights and gradients stay in device
// memory (its cache).
//
//   x  d x 16   a_l  m x 16 for l = 1 .. L-1   delta, below  m x 16: the signals of two neighbouring layers   error  16
#pragma once

#include "model/cuda/chunks.cuh"

namespace neuralts::cuda {

namespace any {

constexpr unsigned threads = 128, height = tile_rows, chunk_tiles_min = 16;

__host__ __device__ constexpr unsigned shared_numbers(unsigned d, unsigned m, unsigned L) {
  return (d + (L + 1) * m + 1) * height;
}

/// Sixteen numbers of consecutive rounds.
struct Rounds {
  float4 q[4] = {};
  __device__ static Rounds read(const float* from) {
    const auto* four = reinterpret_cast<const float4*>(from);
    return {four[0], four[1], four[2], four[3]};
  }
  __device__ static Rounds all(float v) {
    return {float4{v, v, v, v}, float4{v, v, v, v}, float4{v, v, v, v}, float4{v, v, v, v}};
  }
  __device__ void write(float* to) const {
    auto* four = reinterpret_cast<float4*>(to);
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) four[i] = q[i];
  }
  template <class F>
  __device__ void combine(const Rounds& other, F&& f) {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      f(q[i].x, other.q[i].x);
      f(q[i].y, other.q[i].y);
      f(q[i].z, other.q[i].z);
      f(q[i].w, other.q[i].w);
    }
  }
  __device__ void add(float w, const Rounds& other) {
    combine(other, [w](float& sum, float v) { sum = fmaf(w, v, sum); });
  }
  __device__ float dot(Rounds other) const {
    float sum = 0;
    other.combine(*this, [&sum](float& v, float u) { sum = fmaf(v, u, sum); });
    return sum;
  }
};

class Fit {
 public:
  __device__ Fit(const DeviceJob& job, const Cut& cut, float* shared)
      : job_(job), cut_(cut), d_(job.d), m_(job.m), x_(shared), a_(x_ + d_ * height), delta_(a_ + (job.L - 1) * m_ * height),
        below_(delta_ + m_ * height), error_(below_ + m_ * height) {}

  /// The gradient of chunk c, into its row of `partial`.
  __device__ void chunk(unsigned c) {
    float* out = job_.partial + static_cast<std::size_t>(c) * job_.ld;
    bool fresh = true;
    each_tile(cut_.chunk_start(c), cut_.chunk_start(c + 1), [&](unsigned k, unsigned tile, bool fresh_block) {
      forward(k, tile);
      if (threadIdx.x < height) error_[threadIdx.x] *= job_.scale;
      __syncthreads();
      send_back();
      backward(k, out, fresh, fresh_block);
      fresh = false;
    });
  }

  __device__ void begin_step() const {}

  /// Sum of w_i |g_i|^2 over tiles from .. to - 1, in thread 0.
  __device__ double squares(unsigned from, unsigned to) {
    double sum = 0;
    each_tile(from, to, [&](unsigned k, unsigned tile, bool) {
      forward(k, tile);
      const unsigned count = min(height, job_.blocks[k].rows - tile * height);
      if (threadIdx.x < height) error_[threadIdx.x] = threadIdx.x < count ? job_.scale : 0.0f;
      __syncthreads();
      send_back();
      const float input = threadIdx.x < count ? square(x_, d_) + job_.biases : 0.0f;
      float total = threadIdx.x < count
                        ? job_.scale * job_.scale * (square(activations(job_.L - 1), m_) + job_.biases)
                        : 0.0f;
      for (unsigned l = job_.L - 1; l >= 1; --l) {
        const float above = threadIdx.x < count ? square(delta_, m_) : 0.0f;
        total += above * (l == 1                ? input
                          : threadIdx.x < count ? square(activations(l - 1), m_) + job_.biases
                                                : 0.0f);
        if (l > 1) pass_down(l);
      }
      if (threadIdx.x < 32) {
        const float* weights = job_.blocks[k].weights;
        double rounds = weights == nullptr || threadIdx.x >= count
                            ? total
                            : static_cast<double>(weights[tile * height + threadIdx.x]) * total;
        for (unsigned apart = 16; apart > 0; apart /= 2) rounds += __shfl_down_sync(~0u, rounds, apart);
        sum += rounds;
      }
      __syncthreads();
    });
    return sum;
  }

 private:
  __device__ const float* layer(unsigned l) const {  // W_l', l >= 2
    const unsigned bias = job_.biases ? m_ : 0;
    return job_.theta + job_.K * d_ * m_ + bias + (l - 2) * (m_ * m_ + bias);
  }
  __device__ const float* bias(unsigned l) const {
    if (!job_.biases) return nullptr;
    return l == 1 ? job_.theta + job_.K * d_ * m_ : layer(l) + (l == job_.L ? m_ : m_ * m_);
  }
  __device__ float* activations(unsigned l) const { return a_ + (l - 1) * m_ * height; }
  __device__ float square(const float* rows, unsigned count) const {  // of this thread's round
    float sum = 0;
    for (unsigned i = 0; i < count; ++i)
      sum = fmaf(rows[i * height + threadIdx.x], rows[i * height + threadIdx.x], sum);
    return sum;
  }

  // visit(block, tile of the block, whether it is the first of the block here)
  template <class Visit>
  __device__ void each_tile(unsigned from, unsigned to, Visit&& visit) const {
    for (unsigned k = 0; k < job_.K; ++k) {
      const unsigned begin = max(from, cut_.start[k]), end = min(to, cut_.start[k + 1]);
      for (unsigned tile = begin; tile < end; ++tile) visit(k, tile - cut_.start[k], tile == begin);
    }
  }

  // outs (m x 16) = relu(b + W' ins), W' input-major.
  __device__ void product(const float* w, const float* b, const float* ins, unsigned count, float* outs) const {
    for (unsigned u = threadIdx.x; u < m_; u += threads) {
      Rounds sum = Rounds::all(b == nullptr ? 0.0f : b[u]);
#pragma unroll 4
      for (unsigned i = 0; i < count; ++i) sum.add(w[i * m_ + u], Rounds::read(ins + i * height));
      sum.combine(sum, [](float& v, float) { v = fmaxf(v, 0.0f); });
      sum.write(outs + u * height);
    }
    __syncthreads();
  }

  // Activations, and weight * residual into error_.
  __device__ void forward(unsigned k, unsigned tile) {
    const BlockRows& rows = job_.blocks[k];
    __syncthreads();
    const float* from = rows.x + static_cast<std::size_t>(tile) * d_ * height;
    for (unsigned i = threadIdx.x; i < d_ * height; i += threads) x_[i] = from[i];
    __syncthreads();
    product(job_.theta + k * d_ * m_, bias(1), x_, d_, activations(1));
    for (unsigned l = 2; l < job_.L; ++l) product(layer(l), bias(l), activations(l - 1), m_, activations(l));
    const unsigned row = threadIdx.x / 8, part = threadIdx.x % 8, at = tile * height + row;
    const float *last = layer(job_.L), *top = activations(job_.L - 1);
    float f = 0;
    for (unsigned u = part; u < m_; u += 8) f = fmaf(last[u], top[u * height + row], f);
    for (unsigned apart = 1; apart < 8; apart *= 2) f += __shfl_xor_sync(~0u, f, apart);
    if (part == 0) {
      const float residual = job_.scale * (f + (job_.biases ? *bias(job_.L) : 0.0f)) - rows.rewards[at];
      error_[row] = at < rows.rows
                        ? job_.weight * residual * (rows.weights == nullptr ? 1.0f : rows.weights[at])
                        : 0.0f;
    }
    __syncthreads();
  }

  // delta_{L-1} from the errors.
  __device__ void send_back() {
    const float *last = layer(job_.L), *top = activations(job_.L - 1);
    const Rounds error = Rounds::read(error_);
    for (unsigned u = threadIdx.x; u < m_; u += threads) {
      Rounds signal = Rounds::read(top + u * height);
      const float w = last[u];
      signal.combine(error, [w](float& v, float e) { v = v > 0 ? w * e : 0.0f; });
      signal.write(delta_ + u * height);
    }
    __syncthreads();
  }

  // delta_{l-1} from delta_l, l >= 2.
  __device__ void pass_down(unsigned l) {
    const float* w = layer(l);
    for (unsigned i = threadIdx.x; i < m_; i += threads) {
      Rounds sum = Rounds::all(0);
      for (unsigned u = 0; u < m_; ++u) sum.add(w[i * m_ + u], Rounds::read(delta_ + u * height));
      sum.combine(Rounds::read(activations(l - 1) + i * height), [](float& v, float a) { v = a > 0 ? v : 0.0f; });
      sum.write(below_ + i * height);
    }
    __syncthreads();
    float* swap = delta_;
    delta_ = below_;
    below_ = swap;
  }

  __device__ static void put(float* to, float value, bool fresh) { *to = fresh ? value : *to + value; }

  // out (count x m) += ins delta', and the bias's part.
  __device__ void accumulate(const float* ins, unsigned count, float* out, bool fresh) const {
    for (unsigned u = threadIdx.x; u < m_; u += threads) {
      const Rounds signal = Rounds::read(delta_ + u * height);
#pragma unroll 4
      for (unsigned i = 0; i < count; ++i) put(out + i * m_ + u, signal.dot(Rounds::read(ins + i * height)), fresh);
    }
  }
  __device__ void accumulate_bias(float* out, bool fresh) const {
    if (!job_.biases) return;
    for (unsigned u = threadIdx.x; u < m_; u += threads)
      put(out + u, Rounds::read(delta_ + u * height).dot(Rounds::all(1)), fresh);
  }

  __device__ void backward(unsigned k, float* out, bool fresh, bool fresh_block) {
    const auto at = [&](const float* parameter) { return out + (parameter - job_.theta); };
    const Rounds error = Rounds::read(error_);
    float* last = at(layer(job_.L));
    const float* top = activations(job_.L - 1);
    for (unsigned u = threadIdx.x; u < m_; u += threads)
      put(last + u, error.dot(Rounds::read(top + u * height)), fresh);
    if (threadIdx.x == 0 && job_.biases) put(last + m_, error.dot(Rounds::all(1)), fresh);
    for (unsigned l = job_.L - 1; l >= 2; --l) {
      accumulate(activations(l - 1), m_, at(layer(l)), fresh);
      accumulate_bias(at(layer(l)) + m_ * m_, fresh);
      pass_down(l);
    }
    accumulate(x_, d_, out + k * d_ * m_, fresh_block);
    accumulate_bias(out + job_.K * d_ * m_, fresh);
    __syncthreads();
  }

  const DeviceJob& job_;
  const Cut& cut_;
  const unsigned d_, m_;
  float *x_, *a_, *delta_, *below_, *error_;
};

/// A cluster per job. Launched with `threads` threads and shared_numbers() floats of shared memory a block.
__global__ void __launch_bounds__(threads) fit(const DeviceJob* jobs) {
  extern __shared__ float4 shared[];
  Training& training = shared_training();
  training.begin(jobs, height, chunk_tiles_min);
  Fit fit(training.job, training.cut, reinterpret_cast<float*>(shared));
  training.take_steps(fit);
}

/// chunks_max thread blocks per job fill its `squares`: sums of w_i |g_i|^2 at the present parameters.
__global__ void __launch_bounds__(threads) measure(const DeviceJob* jobs) {
  extern __shared__ float4 shared[];
  __shared__ DeviceJob job;
  __shared__ Cut cut;
  if (threadIdx.x == 0) {
    job = jobs[blockIdx.x / chunks_max];
    cut.make(job, height, chunk_tiles_min);
  }
  __syncthreads();
  Fit fit(job, cut, reinterpret_cast<float*>(shared));
  const unsigned c = blockIdx.x % chunks_max;
  const double sum = fit.squares(c * cut.tiles / chunks_max, (c + 1) * cut.tiles / chunks_max);
  if (threadIdx.x == 0) job.squares[c] = sum;
}

}  // namespace any

}  // namespace neuralts::cuda
