// The end of a step: the chunks' gradients are summed in their order, and the parameters move. Mirrors
// math::descent_step, momentum_step and adam_step.
#pragma once

#include <cooperative_groups.h>

#include "model/cuda/device_job.hpp"

namespace neuralts::cuda {

/// What a step is multiplied by, and Adam's epsilon, both corrected for the moments' start at 0.
struct StepLength {
  float length, epsilon;
};

/// One thread's count of Adam's powers.
class StepClock {
 public:
  __device__ explicit StepClock(const DeviceJob& job)
      : length_(job.length), power1_(job.power1), power2_(job.power2) {
    if (job.squares == nullptr) return;
    double square = 0;
    for (unsigned c = 0; c < chunks_max; ++c) square += job.squares[c];
    length_ = 1 / (job.decay + job.weight * square);
  }
  __device__ StepLength next(const DeviceJob& job) {
    if (job.rule != StepRule::adam) return {static_cast<float>(length_), 0};
    power1_ *= job.momentum;
    power2_ *= adam_beta2;
    const double second = sqrt(1 - power2_);
    return {static_cast<float>(length_ * second / (1 - power1_)), static_cast<float>(adam_epsilon * second)};
  }

 private:
  double length_, power1_, power2_;
};

__device__ inline void move_parameter(const DeviceJob& job, const StepLength& step, unsigned i, float gradient) {
  const float theta = __ldcg(job.theta + i);
  const float g = fmaf(job.decay, theta - (job.anchor == nullptr ? 0.0f : __ldg(job.anchor + i)), gradient);
  float direction = g;
  if (job.rule == StepRule::momentum) {
    direction = fmaf(job.momentum, __ldcg(job.first + i), g);
    __stcg(job.first + i, direction);
  } else if (job.rule == StepRule::adam) {
    constexpr float beta2 = static_cast<float>(adam_beta2);
    const float first = fmaf(job.momentum, __ldcg(job.first + i), (1 - job.momentum) * g);
    const float second = fmaf(beta2, __ldcg(job.second + i), (1 - beta2) * g * g);
    __stcg(job.first + i, first);
    __stcg(job.second + i, second);
    direction = first / (sqrtf(second) + step.epsilon);
  }
  __stcg(job.theta + i, fmaf(-step.length, direction, theta));
}

/// Four neighbours at once. REQUIRES i to be a multiple of 4. `theta`: their present values.
__device__ inline void move_parameters(const DeviceJob& job, const StepLength& step, unsigned i,
                                       const float4& gradient, float4 theta) {
  if (job.rule != StepRule::descent) {
    move_parameter(job, step, i, gradient.x);
    move_parameter(job, step, i + 1, gradient.y);
    move_parameter(job, step, i + 2, gradient.z);
    move_parameter(job, step, i + 3, gradient.w);
    return;
  }
  const float4 anchor = job.anchor == nullptr ? float4{0, 0, 0, 0}
                                              : __ldg(reinterpret_cast<const float4*>(job.anchor + i));
  theta.x = fmaf(-step.length, fmaf(job.decay, theta.x - anchor.x, gradient.x), theta.x);
  theta.y = fmaf(-step.length, fmaf(job.decay, theta.y - anchor.y, gradient.y), theta.y);
  theta.z = fmaf(-step.length, fmaf(job.decay, theta.z - anchor.z, gradient.z), theta.z);
  theta.w = fmaf(-step.length, fmaf(job.decay, theta.w - anchor.w, gradient.w), theta.w);
  __stcg(reinterpret_cast<float4*>(job.theta + i), theta);
}

/// Which chunks hold a part of a block's gradient: from .. to - 1.
struct ChunkRange {
  unsigned from, to;
};

/// Parameters begin .. end - 1, both multiples of 4, whose gradient lies in the chunks of `range`. Several at a
/// time are on their way.
__device__ inline void move_aligned(const DeviceJob& job, const StepLength& step, ChunkRange range,
                                    unsigned begin, unsigned end, unsigned rank, unsigned ranks) {
  constexpr unsigned flying = 4;
  const unsigned stride = 4 * ranks * blockDim.x;
  for (unsigned first = begin + 4 * (rank * blockDim.x + threadIdx.x); first < end; first += flying * stride) {
    float4 theta[flying], sum[flying];
#pragma unroll
    for (unsigned f = 0; f < flying; ++f) {
      sum[f] = float4{0, 0, 0, 0};
      if (first + f * stride < end)
        theta[f] = __ldcg(reinterpret_cast<const float4*>(job.theta + first + f * stride));
    }
    for (unsigned c = range.from; c < range.to; ++c) {
      const float* chunk = job.partial + static_cast<std::size_t>(c) * job.ld;
      float4 part[flying];
#pragma unroll
      for (unsigned f = 0; f < flying; ++f)
        if (first + f * stride < end) part[f] = __ldcg(reinterpret_cast<const float4*>(chunk + first + f * stride));
#pragma unroll
      for (unsigned f = 0; f < flying; ++f) {
        sum[f].x += part[f].x;
        sum[f].y += part[f].y;
        sum[f].z += part[f].z;
        sum[f].w += part[f].w;
      }
    }
#pragma unroll
    for (unsigned f = 0; f < flying; ++f)
      if (first + f * stride < end) move_parameters(job, step, first + f * stride, sum[f], theta[f]);
  }
}

/// Parameters begin .. end - 1, one by one.
__device__ inline void move_each(const DeviceJob& job, const StepLength& step, ChunkRange range,
                                 unsigned begin, unsigned end, unsigned rank, unsigned ranks) {
  for (unsigned i = begin + rank * blockDim.x + threadIdx.x; i < end; i += ranks * blockDim.x) {
    float sum = 0;
    for (unsigned c = range.from; c < range.to; ++c)
      sum += __ldcg(job.partial + static_cast<std::size_t>(c) * job.ld + i);
    move_parameter(job, step, i, sum);
  }
}

/// Sums and moves what falls to this thread block among those of its cluster. `ranges`: K of them, in shared
/// memory.
__device__ inline void end_step(const DeviceJob& job, const StepLength& step, unsigned chunks,
                                const ChunkRange* ranges, unsigned rank, unsigned ranks) {
  const unsigned block = job.d * job.m;
  const bool aligned = job.m % 4 == 0;
  for (unsigned k = 0; k <= job.K; ++k) {
    const ChunkRange range = k < job.K ? ranges[k] : ChunkRange{0, chunks};
    const unsigned begin = k * block, end = k < job.K ? begin + block : job.p,
                   aligned_end = aligned ? end / 4 * 4 : begin;
    move_aligned(job, step, range, begin, aligned_end, rank, ranks);
    move_each(job, step, range, aligned_end, end, rank, ranks);
  }
}

}  // namespace neuralts::cuda
