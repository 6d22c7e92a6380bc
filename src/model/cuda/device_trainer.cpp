#include "model/cuda/device_trainer.hpp"

#include <cstring>

namespace neuralts::cuda {

namespace {

constexpr std::size_t alignment = 16;

/// Places in a stretch of bytes, handed out one after the other.
class Places {
 public:
  template <class T>
  std::size_t take(std::size_t count) {
    const std::size_t at = size_;
    size_ += (count * sizeof(T) + alignment - 1) / alignment * alignment;
    return at;
  }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
};

unsigned padded(std::size_t numbers) { return static_cast<unsigned>((numbers + 3) / 4 * 4); }
// The most rounds a kernel reads together.
std::size_t padded_rows(std::size_t rows) { return (rows + 63) / 64 * 64; }

/// Of a block's array of rows in the span.
std::size_t span_numbers(std::size_t rows) { return padded_rows(rows) * 104; }

DeviceJob sizes_and_rule(const Request& request) {
  DeviceJob job;
  job.d = request.d;
  job.K = static_cast<unsigned>(request.blocks.size());
  job.m = request.m;
  job.L = request.L;
  job.p = static_cast<unsigned>(request.theta.size());
  job.ld = padded(job.p);
  job.biases = request.biases;
  job.scale = request.scale;
  job.rule = request.rule;
  job.steps = request.steps;
  job.weight = static_cast<float>(request.weight);
  job.decay = static_cast<float>(request.decay);
  job.momentum = static_cast<float>(request.momentum);
  job.length = request.length;
  job.power1 = request.power1;
  job.power2 = request.power2;
  return job;
}

bool modern(const cudaDeviceProp& properties) { return properties.major >= 9; }

int checked(int device) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) count = 0;
  if (device >= count)
    throw Error(ErrorCode::unsupported, "--device cuda",
                count == 0 ? "no CUDA device is there" : "there is no device " + std::to_string(device),
                "--device cpu trains on the processor");
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, device), "the device");
  if (!modern(properties))
    throw Error(ErrorCode::unsupported, "--device cuda",
                std::string(properties.name) + " is older than compute capability 9.0",
                "--device cpu trains on the processor");
  return device;
}

}  // namespace

std::vector<std::string> device_names() {
  int count = 0;
  std::vector<std::string> names;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return names;
  for (int device = 0; device < count; ++device)
    if (cudaDeviceProp properties;
        cudaGetDeviceProperties(&properties, device) == cudaSuccess && modern(properties))
      names.emplace_back(properties.name);
  return names;
}

/// Where everything of one call lies, as offsets into up_ and there_ (the same), and into work_.
struct DeviceTrainer::Layout {
  struct Job {
    DeviceJob job;  // with offsets still to be turned into pointers
    std::vector<BlockRows> blocks;
    std::vector<SpanBlock> spans;  // empty unless the request asks for the span
    std::size_t theta = 0, anchor = 0, first = 0, second = 0, rows = 0, span = 0;
    std::vector<std::size_t> weights;
  };
  std::vector<Job> jobs;
  std::vector<HistoryCache::Travel> travels;
  std::vector<NewGram> grams;
  std::vector<std::size_t> travel_values;
  std::size_t returning = 0;  // bytes at the beginning that come back: parameters and moments
  std::size_t list = 0, pieces = 0, gram_pieces = 0, size = 0;
  std::size_t zeros = 0;  // bytes at the beginning of work_ that must be 0
};

DeviceTrainer::DeviceTrainer(int device) : device_(checked(device)), current_(device_), histories_(queue_) {
  cudaMemPool_t pool = nullptr;
  check(cudaDeviceGetDefaultMemPool(&pool, device_), "the device");
  std::uint64_t keep = ~std::uint64_t{0};
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "the device");
}

void DeviceTrainer::plan(std::span<const Request> requests, Layout& layout) {
  Places places, work;
  histories_.next_call();
  for (const Request& request : requests) {
    Layout::Job at;
    at.job = sizes_and_rule(request);
    at.theta = places.take<float>(at.job.p);
    if (!request.first.empty()) at.first = places.take<float>(at.job.p);
    if (!request.second.empty()) at.second = places.take<float>(at.job.p);
    fitted_.push_back({at.theta, at.first, at.second, at.job.p, !request.first.empty(), !request.second.empty()});
    layout.jobs.push_back(std::move(at));
  }
  layout.returning = places.size();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Request& request = requests[i];
    Layout::Job& at = layout.jobs[i];
    if (request.anchor != nullptr) at.anchor = places.take<float>(at.job.p);
    for (const auto& admitted : histories_.admit(request, layout.travels, layout.grams)) {
      at.blocks.push_back(admitted.rows);
      if (request.span) at.spans.push_back({.gram = admitted.gram, .ld = admitted.ld});
    }
    at.rows = places.take<BlockRows>(at.blocks.size());
    at.span = places.take<SpanBlock>(at.spans.size());
    for (const HostRows& block : request.blocks)
      at.weights.push_back(block.weights == nullptr ? 0 : places.take<float>(padded_rows(block.rows)));
  }
  layout.list = places.take<DeviceJob>(requests.size());
  layout.pieces = places.take<NewRows>(layout.travels.size());
  layout.gram_pieces = places.take<NewGram>(layout.grams.size());
  for (const auto& travel : layout.travels)
    layout.travel_values.push_back(places.take<float>(travel.piece.count * (travel.piece.d + 1)));
  layout.size = places.size();
  up_.reserve(layout.size);
  there_.reserve(layout.size);
  down_.reserve(layout.returning);

  struct Work {
    std::size_t first = 0, second = 0, partial = 0, squares = 0;
    std::vector<std::size_t> c, velocity, others;  // of the blocks, in the span; others: started, anchored, signals
  };
  std::vector<Work> works(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const DeviceJob& job = layout.jobs[i].job;
    if (job.rule != StepRule::descent && requests[i].first.empty()) works[i].first = work.take<float>(job.p);
    if (job.rule == StepRule::adam && requests[i].second.empty()) works[i].second = work.take<float>(job.p);
    for (std::size_t k = 0; k < layout.jobs[i].spans.size(); ++k) {
      works[i].c.push_back(work.take<float>(span_numbers(layout.jobs[i].blocks[k].rows)));
      works[i].velocity.push_back(
          job.rule == StepRule::momentum ? work.take<float>(span_numbers(layout.jobs[i].blocks[k].rows)) : 0);
    }
  }
  layout.zeros = work.size();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    works[i].partial = work.take<float>(std::size_t{chunks_max} * layout.jobs[i].job.ld);
    works[i].squares = work.take<double>(chunks_max);
    for (std::size_t k = 0; k < layout.jobs[i].spans.size(); ++k)
      works[i].others.push_back(work.take<float>(3 * span_numbers(layout.jobs[i].blocks[k].rows)));
  }
  work_.reserve(work.size());

  for (std::size_t i = 0; i < requests.size(); ++i) {
    Layout::Job& at = layout.jobs[i];
    const auto there = [&](std::size_t offset) { return reinterpret_cast<float*>(there_.data() + offset); };
    const auto in_work = [&](std::size_t offset) { return reinterpret_cast<float*>(work_.data() + offset); };
    at.job.theta = there(at.theta);
    at.job.anchor = requests[i].anchor == nullptr ? nullptr : there(at.anchor);
    if (at.job.rule != StepRule::descent)
      at.job.first = requests[i].first.empty() ? in_work(works[i].first) : there(at.first);
    if (at.job.rule == StepRule::adam)
      at.job.second = requests[i].second.empty() ? in_work(works[i].second) : there(at.second);
    at.job.partial = in_work(works[i].partial);
    if (!(at.job.length > 0)) at.job.squares = reinterpret_cast<double*>(work_.data() + works[i].squares);
    at.job.blocks = reinterpret_cast<const BlockRows*>(there_.data() + at.rows);
    for (std::size_t k = 0; k < at.blocks.size(); ++k)
      if (requests[i].blocks[k].weights != nullptr) at.blocks[k].weights = there(at.weights[k]);
    for (std::size_t k = 0; k < at.spans.size(); ++k) {
      SpanBlock& span = at.spans[k];
      const std::size_t size = span_numbers(at.blocks[k].rows);
      span.c = in_work(works[i].c[k]);
      if (at.job.rule == StepRule::momentum) span.velocity = in_work(works[i].velocity[k]);
      span.started = in_work(works[i].others[k]);
      span.anchored = span.started + size;
      span.signals = span.anchored + size;
    }
    if (!at.spans.empty()) at.job.span = reinterpret_cast<const SpanBlock*>(there_.data() + at.span);
  }
}

void DeviceTrainer::fill(std::span<const Request> requests, const Layout& layout, Crew& crew) {
  const auto put = [this](std::size_t at, const void* from, std::size_t bytes) {
    std::memcpy(up_.data() + at, from, bytes);
  };
  crew.run(requests.size(), [&](std::size_t i) {
    const Request& request = requests[i];
    const Layout::Job& at = layout.jobs[i];
    const std::size_t bytes = at.job.p * sizeof(float);
    put(at.theta, request.theta.data(), bytes);
    if (request.anchor != nullptr) put(at.anchor, request.anchor, bytes);
    if (!request.first.empty()) put(at.first, request.first.data(), bytes);
    if (!request.second.empty()) put(at.second, request.second.data(), bytes);
    put(at.rows, at.blocks.data(), at.blocks.size() * sizeof(BlockRows));
    put(at.span, at.spans.data(), at.spans.size() * sizeof(SpanBlock));
    for (std::size_t k = 0; k < request.blocks.size(); ++k) {
      const HostRows& block = request.blocks[k];
      if (block.weights == nullptr) continue;
      put(at.weights[k], block.weights, block.rows * sizeof(float));
      std::memset(up_.data() + at.weights[k] + block.rows * sizeof(float), 0,
                  (padded_rows(block.rows) - block.rows) * sizeof(float));
    }
  });
  std::size_t place = 0;
  for (const std::size_t i : launcher_.order())
    put(layout.list + place++ * sizeof(DeviceJob), &layout.jobs[i].job, sizeof(DeviceJob));
  put(layout.gram_pieces, layout.grams.data(), layout.grams.size() * sizeof(NewGram));
  for (std::size_t i = 0; i < layout.travels.size(); ++i) {
    auto [x, rewards, piece] = layout.travels[i];
    const std::size_t values = layout.travel_values[i], rows = std::size_t{piece.count} * piece.d;
    piece.values = reinterpret_cast<const float*>(there_.data() + values);
    put(layout.pieces + i * sizeof(NewRows), &piece, sizeof piece);
    put(values, x, rows * sizeof(float));
    put(values + rows * sizeof(float), rewards, piece.count * sizeof(float));
  }
}

Fitted DeviceTrainer::fitted(std::size_t i) const {
  const Place& place = fitted_[i];
  const auto numbers = [&](std::size_t at, bool there) {
    return std::span(reinterpret_cast<const float*>(down_.data() + at), there ? place.parameters : 0);
  };
  return {numbers(place.theta, true), numbers(place.first, place.has_first),
          numbers(place.second, place.has_second)};
}

void DeviceTrainer::train(std::span<const Request> requests, Crew& crew) {
  fitted_.clear();
  if (requests.empty()) return;
  try {
    run(requests, crew);
  } catch (...) {
    histories_.clear();  // who knows what has arrived
    throw;
  }
}

void DeviceTrainer::run(std::span<const Request> requests, Crew& crew) {
  check(cudaSetDevice(device_), "the device");
  Layout layout;
  plan(requests, layout);
  std::vector<Launch> launches;
  for (const Layout::Job& at : layout.jobs) {
    launches.push_back({at.job, {}});
    for (const BlockRows& block : at.blocks) launches.back().rows.push_back(block.rows);
  }
  launcher_.plan(launches);
  fill(requests, layout, crew);
  check(cudaMemcpyAsync(there_.data(), up_.data(), layout.size, cudaMemcpyHostToDevice, queue_.get()), "sending");
  if (layout.zeros > 0) check(cudaMemsetAsync(work_.data(), 0, layout.zeros, queue_.get()), "sending");
  append_rows(queue_, reinterpret_cast<const NewRows*>(there_.data() + layout.pieces),
              static_cast<unsigned>(layout.travels.size()));
  append_grams(queue_, reinterpret_cast<const NewGram*>(there_.data() + layout.gram_pieces),
               static_cast<unsigned>(layout.grams.size()));
  launcher_.start(queue_, reinterpret_cast<const DeviceJob*>(there_.data() + layout.list));
  check(cudaMemcpyAsync(down_.data(), there_.data(), layout.returning, cudaMemcpyDeviceToHost, queue_.get()),
        "fetching");
  queue_.wait();
}

}  // namespace neuralts::cuda
