// Copies from device memory to shared memory that go on while a thread computes.
#pragma once

namespace neuralts::cuda {

/// Four numbers. REQUIRES both places to be multiples of 16 bytes.
__device__ inline void copy_async(float* to, const float* from) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from));
}
/// The same, or four zeros.
__device__ inline void copy_or_zero(float* to, const float* from, bool there) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(there ? 16 : 0));
}
__device__ inline void end_copies() { asm volatile("cp.async.commit_group;"); }
/// Until all copies of this thread have arrived; those of others need a barrier after it.
__device__ inline void wait_copies() { asm volatile("cp.async.wait_group 0;" ::: "memory"); }

}  // namespace neuralts::cuda
