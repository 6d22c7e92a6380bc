#include "model/cuda/launch.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>

#include "model/cuda/fit_any.cuh"
#include "model/cuda/fit_span.cuh"
#include "model/cuda/fit_tensor.cuh"

namespace neuralts::cuda {

namespace {

using Kernel = void (*)(const DeviceJob*);

struct Variant {
  Kernel kernel;
  unsigned N;                        // of a tensor kernel: groups of eight columns; 0: another kernel
  unsigned height, chunk_tiles_min;  // rounds of a tile, tiles of a chunk
};

template <unsigned N>
constexpr Variant tensor_variant{&tensor::fit<N>, N, tensor::height, tensor::chunk_tiles_min};

// The first that is wide enough is taken.
const Variant variants[] = {
    tensor_variant<1>, tensor_variant<2>, tensor_variant<3>, tensor_variant<4>, tensor_variant<5>, tensor_variant<6>, tensor_variant<7>,
    {&any::fit, 0, any::height, any::chunk_tiles_min}, {&span::fit, 0, span::height, span::chunk_tiles_min},
};
constexpr unsigned variants_count = sizeof variants / sizeof *variants, any_variant = variants_count - 2,
                   span_variant = variants_count - 1;

constexpr unsigned threads = tensor::threads;
static_assert(threads == any::threads && threads == span::threads);

// Bytes of shared memory a thread block may have beside its fixed variables.
constexpr unsigned shared_max = 224 << 10;

unsigned variant_of(unsigned d, unsigned m, unsigned L) {
  unsigned v = any_variant;
  if (L == 2 && m <= tensor::units)
    for (v = 0; v < any_variant && tensor::lines(variants[v].N) <= d;) ++v;
  return v;
}

unsigned any_bytes(unsigned d, unsigned m, unsigned L) { return any::shared_numbers(d, m, L) * sizeof(float); }

unsigned variant_of(const DeviceJob& job) {
  return job.span != nullptr ? span_variant : variant_of(job.d, job.m, job.L);
}

unsigned shared_bytes(unsigned v, const DeviceJob& job) {
  if (v == span_variant) return span::shared_numbers() * sizeof(float);
  if (v == any_variant) return any_bytes(job.d, job.m, job.L);
  return tensor::shared_numbers(variants[v].N) * sizeof(float);
}

// Multiply-adds of a step.
double work_of(const Launch& launch) {
  const DeviceJob& job = launch.job;
  if (job.span != nullptr)
    return job.m * std::accumulate(launch.rows.begin(), launch.rows.end(), 0.0,
                                   [](double sum, double rows) { return sum + rows * rows; });
  const double n = std::accumulate(launch.rows.begin(), launch.rows.end(), 0.0);
  return n * job.m * (2.0 * job.d + 8 + 3.0 * (job.L - 2) * job.m);
}

unsigned chunks_of(const Launch& launch, unsigned v) {
  unsigned tiles = 0;
  for (const unsigned rows : launch.rows) tiles += (rows + variants[v].height - 1) / variants[v].height;
  return chunk_count(tiles, variants[v].chunk_tiles_min);
}

void allow_shared_memory() {
  const auto allow = [](const void* kernel) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_max), "shared memory");
  };
  for (const Variant& variant : variants) allow(reinterpret_cast<const void*>(variant.kernel));
  allow(reinterpret_cast<const void*>(&any::measure));
}

// How long the device is busy, in units of a multiprocessor's work, when thread blocks of these lengths,
// longest first, go to the slot that is free first. Two slots a multiprocessor; one thread block alone does not
// fill it.
double busy_time(const std::vector<double>& lengths, unsigned multiprocessors) {
  constexpr double alone = 0.7;  // speed of a multiprocessor with one thread block
  struct Slot {
    double load;
    unsigned index;
    // For a heap's top.
    bool operator<(const Slot& other) const { return std::tie(other.load, other.index) < std::tie(load, index); }
  };
  std::priority_queue<Slot> slots;
  for (unsigned i = 0; i < 2 * multiprocessors; ++i) slots.push({0, i});
  std::vector<double> loads(2 * multiprocessors);
  for (const double length : lengths) {
    Slot slot = slots.top();
    slots.pop();
    loads[slot.index] = slot.load += length;
    slots.push(slot);
  }
  double longest = 0;
  for (unsigned i = 0; i < multiprocessors; ++i) {
    const auto [less, more] = std::minmax(loads[i], loads[i + multiprocessors]);
    longest = std::max(longest, 2 * less + (more - less) / alone);
  }
  return longest;
}

unsigned ranks_for(double work, unsigned chunks, double most) {
  unsigned ranks = 1;
  while (ranks < chunks && work / ranks > most) ranks *= 2;
  return ranks;
}

}  // namespace

bool span_pays(unsigned d, unsigned m, unsigned L, std::span<const std::size_t> rows) {
  // The speed of this kernel against the other; of the Gram matrices.
  constexpr double faster = 10, bytes_max = 1 << 30;
  if (variant_of(d, m, L) != any_variant || L != 2 || m > span::units || m % 4 != 0 || d > 12288) return false;
  double n = 0, squares = 0;
  for (const std::size_t count : rows) {
    n += static_cast<double>(count);
    squares += static_cast<double>(count) * static_cast<double>(count);
  }
  return squares < faster * 2 * n * d && 4 * sizeof(float) * squares < bytes_max;
}

bool fits(unsigned d, unsigned K, unsigned m, unsigned L) {
  return K <= Cut::blocks_max && (variant_of(d, m, L) != any_variant || any_bytes(d, m, L) <= shared_max) &&
         static_cast<double>(K) * d * m + static_cast<double>(L) * (m + 1.0) * m < 1e9;
}

Launcher::Launcher() {
  int device = 0, count = 0;
  check(cudaGetDevice(&device), "the device");
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "the device");
  multiprocessors_ = static_cast<unsigned>(count);
  allow_shared_memory();
}

// The most work a thread block should have, as a share of what a slot would have if all were equal. Short ones
// fill the device to the end, but every split costs a little. How trainings are split changes the time they
// take, never their numbers.
double Launcher::choose_grain(const std::vector<double>& works, const std::vector<unsigned>& chunks,
                              double slot_work) const {
  constexpr double split_cost = 1.03, large_cost = 1.1;  // of a doubling; of clusters of 8, which leave gaps
  double best = 1, shortest = std::numeric_limits<double>::infinity();
  for (const double grain : {2.0, 1.0, 0.5, 0.25, 0.125}) {
    std::vector<double> lengths;
    for (std::size_t i = 0; i < works.size(); ++i) {
      const unsigned ranks = ranks_for(works[i], chunks[i], grain * slot_work);
      const double cost = std::pow(split_cost, std::log2(ranks)) * (ranks == 8 ? large_cost : 1);
      lengths.insert(lengths.end(), ranks, cost * works[i] / ranks);
    }
    std::sort(lengths.begin(), lengths.end(), std::greater<>());
    if (const double time = busy_time(lengths, multiprocessors_); time < shortest) {
      shortest = time;
      best = grain;
    }
  }
  return best;
}

void Launcher::plan(std::span<const Launch> jobs) {
  constexpr double same_plan = 0.03;  // growth up to which the last choice is kept
  std::vector<double> works;
  std::vector<unsigned> chunks, kernels;
  for (const Launch& job : jobs) {
    kernels.push_back(variant_of(job.job));
    works.push_back(work_of(job));
    chunks.push_back(chunks_of(job, kernels.back()));
  }
  const double total = std::accumulate(works.begin(), works.end(), 0.0),
               slot_work = total / (2.0 * multiprocessors_);
  if (planned_jobs_ != jobs.size() || std::abs(total - planned_work_) > same_plan * planned_work_) {
    grain_ = choose_grain(works, chunks, slot_work);
    planned_jobs_ = jobs.size();
    planned_work_ = total;
  }
  std::vector<Place> places;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const DeviceJob& job = jobs[i].job;
    const unsigned ranks = ranks_for(works[i], chunks[i], grain_ * slot_work);
    places.push_back({{kernels[i], ranks, shared_bytes(kernels[i], job), any_bytes(job.d, job.m, job.L),
                       job.squares != nullptr},
                      works[i] / ranks,
                      i});
  }
  group(places);
}

// Neighbours of one kind share a launch; the longest start first.
void Launcher::group(std::vector<Place>& places) {
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.kind < b.kind; });
  order_.clear();
  groups_.clear();
  for (const Place& place : places) {
    if (groups_.empty() || groups_.back().kind != place.kind) groups_.push_back({place.kind, order_.size(), 0, 0});
    groups_.back().count += 1;
    groups_.back().work = std::max(groups_.back().work, place.work);
    order_.push_back(place.index);
  }
  std::stable_sort(groups_.begin(), groups_.end(), [](const Group& a, const Group& b) { return a.work > b.work; });
}

void Launcher::start(const Queue& queue, const DeviceJob* jobs) {
  begin_.set(queue);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    const Lane& lane = lanes_[g % lanes];
    if (g < lanes) begin_.hold(lane.queue);
    const DeviceJob* first = jobs + group.from;
    cudaLaunchConfig_t config = {};
    config.blockDim = threads;
    config.stream = lane.queue.get();
    if (group.kind.measures) {
      config.gridDim = static_cast<unsigned>(group.count) * chunks_max;
      config.dynamicSmemBytes = group.kind.measured_bytes;
      check(cudaLaunchKernelEx(&config, any::measure, first), "measuring steps");
    }
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {group.kind.ranks, 1, 1};
    config.gridDim = static_cast<unsigned>(group.count) * group.kind.ranks;
    config.dynamicSmemBytes = group.kind.shared_bytes;
    config.attrs = &cluster;
    config.numAttrs = 1;
    check(cudaLaunchKernelEx(&config, variants[group.kind.kernel].kernel, first), "a training");
  }
  for (std::size_t g = 0; g < std::min(groups_.size(), lanes); ++g) {
    lanes_[g].end.set(lanes_[g].queue);
    lanes_[g].end.hold(queue);
  }
}

}  // namespace neuralts::cuda
