// Training on this processor.
#include <atomic>

#include "base/parallel.hpp"
#include "model/fit.hpp"

namespace neuralts {

namespace {

using AnyBefore = std::variant<Before<float>, Before<double>>;

AnyBefore remember(const TrainJob& job) {
  return std::visit([](const auto& fit) { return AnyBefore(Before(fit, true)); }, job.fit);
}

void restore(TrainJob& job, const AnyBefore& before) {
  std::visit(
      [&]<class T>(FitJob<T>& fit) {
        std::get<Before<T>>(before).restore(fit);
      },
      job.fit);
}

// One job that is stopped undoes itself; several are undone together.
class Processor final : public TrainEngine {
 public:
  bool train(std::span<TrainJob> jobs, const Training& how) override {
    std::vector<AnyBefore> before;
    if (jobs.size() > 1 && how.stop.stop_possible())
      for (const TrainJob& job : jobs) before.push_back(remember(job));
    if (run(jobs, how)) return true;
    for (std::size_t i = 0; i < before.size(); ++i) restore(jobs[i], before[i]);
    return false;
  }

 private:
  // A thread for every job while there are enough of them, all threads for each otherwise.
  static bool run(std::span<TrainJob> jobs, const Training& how) {
    const std::size_t threads = how.threads == 0 ? hardware_threads() : how.threads;
    const bool side_by_side = jobs.size() >= threads;
    Training each = how;
    each.threads = side_by_side ? 1 : threads;
    std::atomic<bool> done = true;
    parallel_for(jobs.size(), side_by_side ? threads : 1, [&](std::size_t i) {
      const Fitted fitted = std::visit([&](auto& job) { return fit(job, each); }, jobs[i].fit);
      if (fitted == Fitted::stopped) done = false;
    });
    return done;
  }
};

}  // namespace

TrainEngine& processor_engine() {
  static Processor engine;
  return engine;
}

}  // namespace neuralts
