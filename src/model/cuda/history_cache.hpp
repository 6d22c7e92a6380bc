// Histories on the device, grown by what is new.
#pragma once

#include <unordered_map>
#include <vector>

#include "model/cuda/append.hpp"
#include "model/cuda/request.hpp"

namespace neuralts::cuda {

/// Device memory of a stream-ordered pool; freed when it goes.
class PoolNumbers {
 public:
  PoolNumbers() = default;
  PoolNumbers(const Queue& queue, std::size_t count);  ///< zeros
  ~PoolNumbers();
  PoolNumbers(PoolNumbers&& other) noexcept : data_(std::exchange(other.data_, nullptr)), stream_(other.stream_) {}
  PoolNumbers& operator=(PoolNumbers&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(stream_, other.stream_);
    return *this;
  }
  float* get() const { return data_; }

 private:
  float* data_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

class HistoryCache {
 public:
  explicit HistoryCache(const Queue& queue) : queue_(queue) {}

  /// A run of rounds that must travel: where it lies on the host, and where it belongs.
  struct Travel {
    const float *x, *rewards;
    NewRows piece;  ///< `values` is the caller's to fill in
  };

  /// A block on the device, without weights. `gram`: null unless the request asks for the span.
  struct Admitted {
    BlockRows rows;
    const float* gram = nullptr;
    unsigned ld = 0;
  };

  /// Makes room for the request's rounds, adds those that are new to `travels` and their products to `grams`,
  /// and returns the blocks. Histories that were not asked for in the last thousand calls of next_call() are
  /// forgotten.
  std::vector<Admitted> admit(const Request& request, std::vector<Travel>& travels, std::vector<NewGram>& grams);
  void next_call();
  void clear() { entries_.clear(); }

 private:
  struct Block {
    PoolNumbers x, rewards, gram;
    std::size_t rows = 0, capacity = 0;
    std::size_t gram_rows = 0, gram_capacity = 0;
  };
  struct Entry {
    std::uint64_t generation = 0, used = 0;
    std::vector<Block> blocks;
  };
  void grow(Block& block, std::size_t rows, std::size_t d);
  void grow_gram(Block& block, std::size_t d, std::vector<NewGram>& grams);

  const Queue& queue_;
  std::unordered_map<std::uint64_t, Entry> entries_;
  std::uint64_t calls_ = 0;
};

}  // namespace neuralts::cuda
