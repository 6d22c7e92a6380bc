// Which kernel takes a job, and how the kernels of many jobs share the device.
#pragma once

#include <compare>
#include <cstddef>
#include <span>
#include <vector>

#include "model/cuda/device_job.hpp"
#include "model/cuda/runtime.hpp"

namespace neuralts::cuda {

/// Whether a network of these sizes can be trained on the device.
bool fits(unsigned d, unsigned K, unsigned m, unsigned L);

/// Whether descent or momentum on blocks of these many rounds is faster in the span of the rows (fit_span.cuh),
/// and possible.
bool span_pays(unsigned d, unsigned m, unsigned L, std::span<const std::size_t> rows);

/// A job with the number of its rounds in each block, which the host knows and the device reads from `blocks`.
struct Launch {
  DeviceJob job;
  std::vector<unsigned> rows;
};

/// Jobs in the order in which they must lie on the device, cut into launches.
class Launcher {
 public:
  Launcher();
  /// Sorts `jobs` into launches.
  void plan(std::span<const Launch> jobs);
  /// order()[i]: which of the planned jobs lies at place i.
  const std::vector<std::size_t>& order() const { return order_; }
  /// Everything after what `queue` holds now; what is put into `queue` later waits for it. `jobs`: device, in
  /// order().
  void start(const Queue& queue, const DeviceJob* jobs);

 private:
  struct Kind {
    unsigned kernel, ranks, shared_bytes, measured_bytes;  // measured: of the kernel that measures steps
    bool measures;
    auto operator<=>(const Kind&) const = default;
  };
  struct Place {
    Kind kind;
    double work;  // of a thread block
    std::size_t index;
  };
  struct Group {
    Kind kind;
    std::size_t from, count;
    double work;
  };
  double choose_grain(const std::vector<double>& works, const std::vector<unsigned>& chunks,
                      double slot_work) const;
  void group(std::vector<Place>& places);
  static constexpr std::size_t lanes = 8;

  unsigned multiprocessors_ = 0;
  double grain_ = 1, planned_work_ = 0;
  std::size_t planned_jobs_ = 0;
  std::vector<Group> groups_;
  std::vector<std::size_t> order_;
  Mark begin_;
  struct Lane {
    Queue queue;
    Mark end;
  };
  Lane lanes_[lanes];
};

}  // namespace neuralts::cuda
