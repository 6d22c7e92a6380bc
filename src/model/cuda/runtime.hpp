// The CUDA runtime with errors as exceptions and memory that frees itself. The one door to cuda_runtime.h
// outside the kernels.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <utility>

#include "neuralts/error.hpp"

namespace neuralts::cuda {

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw Error(ErrorCode::io, "cuda", std::string(what) + ": " + cudaGetErrorString(status),
              status == cudaErrorMemoryAllocation ? "fewer runs at a time need less memory"
                                                  : "run on the processor with --device cpu");
}

class Queue {
 public:
  Queue() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
    check(cudaEventCreateWithFlags(&end_, cudaEventDisableTiming | cudaEventBlockingSync), "an event");
  }
  ~Queue() {
    cudaEventDestroy(end_);
    cudaStreamDestroy(stream_);
  }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  cudaStream_t get() const { return stream_; }
  /// Asleep, not spinning: the cores have other runs to play meanwhile.
  void wait() const {
    check(cudaEventRecord(end_, stream_), "an event");
    check(cudaEventSynchronize(end_), "a training");
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

/// A moment in a queue that another queue can wait for.
class Mark {
 public:
  Mark() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "an event"); }
  ~Mark() { cudaEventDestroy(event_); }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  void set(const Queue& queue) const { check(cudaEventRecord(event_, queue.get()), "an event"); }
  void hold(const Queue& queue) const { check(cudaStreamWaitEvent(queue.get(), event_), "an event"); }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Bytes on the device, or in pinned memory of the host: reserve() keeps at least so many, and forgets what
/// they held.
template <bool pinned>
class Bytes {
 public:
  Bytes() = default;
  ~Bytes() { release(); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  void reserve(std::size_t size) {
    if (size <= size_) return;
    release();
    size += size / 4;
    void* got = nullptr;
    check(pinned ? cudaMallocHost(&got, size) : cudaMalloc(&got, size), "memory");
    data_ = static_cast<std::byte*>(got);
    size_ = size;
  }

 private:
  void release() {
    if (data_ != nullptr) pinned ? cudaFreeHost(data_) : cudaFree(data_);
    data_ = nullptr;
    size_ = 0;
  }
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};
using DeviceBytes = Bytes<false>;
using PinnedBytes = Bytes<true>;

}  // namespace neuralts::cuda
