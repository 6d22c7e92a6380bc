#include "model/cuda/history_cache.hpp"

#include <algorithm>

namespace neuralts::cuda {

namespace {

constexpr std::uint64_t calls_kept = 1000;
constexpr std::size_t rows_least = 256;

}  // namespace

PoolNumbers::PoolNumbers(const Queue& queue, std::size_t count) : stream_(queue.get()) {
  void* got = nullptr;
  check(cudaMallocAsync(&got, count * sizeof(float), stream_), "memory for rounds");
  data_ = static_cast<float*>(got);
  check(cudaMemsetAsync(data_, 0, count * sizeof(float), stream_), "memory for rounds");
}

PoolNumbers::~PoolNumbers() {
  if (data_ != nullptr) cudaFreeAsync(data_, stream_);
}

void HistoryCache::next_call() {
  ++calls_;
  std::erase_if(entries_, [this](const auto& entry) { return entry.second.used + calls_kept < calls_; });
}

// A power of two of rows, so that tiles come in pairs and growing costs as much as it adds.
void HistoryCache::grow(Block& block, std::size_t rows, std::size_t d) {
  if (rows <= block.capacity) return;
  std::size_t capacity = std::max(block.capacity, rows_least);
  while (capacity < rows) capacity *= 2;
  PoolNumbers x(queue_, capacity * d), rewards(queue_, capacity);
  if (block.capacity > 0) {
    const auto copy = [&](const PoolNumbers& to, const PoolNumbers& from, std::size_t count) {
      check(cudaMemcpyAsync(to.get(), from.get(), count * sizeof(float), cudaMemcpyDeviceToDevice,
                            queue_.get()),
            "memory for rounds");
    };
    copy(x, block.x, block.capacity * d);
    copy(rewards, block.rewards, block.capacity);
  }
  block.x = std::move(x);
  block.rewards = std::move(rewards);
  block.capacity = capacity;
}

// A larger matrix is computed anew: with capacities that double, that costs no more than its rows did.
void HistoryCache::grow_gram(Block& block, std::size_t d, std::vector<NewGram>& grams) {
  if (block.gram_capacity != block.capacity) {
    block.gram = PoolNumbers(queue_, block.capacity * block.capacity);
    block.gram_capacity = block.capacity;
    block.gram_rows = 0;
  }
  for (; block.gram_rows < block.rows;
       block.gram_rows += std::min<std::size_t>(new_rows_max, block.rows - block.gram_rows)) {
    const auto count = static_cast<unsigned>(std::min<std::size_t>(new_rows_max, block.rows - block.gram_rows));
    grams.push_back({block.gram.get(), static_cast<unsigned>(block.capacity), block.x.get(),
                     static_cast<unsigned>(block.gram_rows), count, static_cast<unsigned>(d)});
  }
}

std::vector<HistoryCache::Admitted> HistoryCache::admit(const Request& request, std::vector<Travel>& travels,
                                                        std::vector<NewGram>& grams) {
  Entry& entry = entries_[request.history];
  entry.used = calls_;
  const bool shorter = entry.blocks.size() == request.blocks.size() &&
                       !std::equal(
                           entry.blocks.begin(), entry.blocks.end(), request.blocks.begin(),
                           [](const Block& here, const HostRows& there) { return here.rows <= there.rows; });
  if (entry.generation != request.generation || entry.blocks.size() != request.blocks.size() || shorter) {
    entry.blocks.clear();  // memory that held more rounds must be zeros past the end
    entry.blocks.resize(request.blocks.size());
    entry.generation = request.generation;
  }
  std::vector<Admitted> admitted;
  for (std::size_t k = 0; k < request.blocks.size(); ++k) {
    Block& block = entry.blocks[k];
    const HostRows& host = request.blocks[k];
    grow(block, host.rows, request.d);
    for (; block.rows < host.rows; block.rows += std::min<std::size_t>(new_rows_max, host.rows - block.rows)) {
      const auto count = static_cast<unsigned>(std::min<std::size_t>(new_rows_max, host.rows - block.rows));
      travels.push_back({host.x + block.rows * request.d,
                         host.rewards + block.rows,
                         {block.x.get(), block.rewards.get(), nullptr, static_cast<unsigned>(block.rows),
                          count, request.d}});
    }
    if (request.span) grow_gram(block, request.d, grams);
    admitted.push_back({{block.x.get(), block.rewards.get(), nullptr, static_cast<unsigned>(host.rows)},
                        block.gram.get(),
                        static_cast<unsigned>(block.gram_capacity)});
  }
  return admitted;
}

}  // namespace neuralts::cuda
