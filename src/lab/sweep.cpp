// Many runs at a time: one thread per run or all in lock-step on a device, a queue of indices, a folder that
// takes what is done.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>

#include "lab/device_runs.hpp"
#include "lab/machine.hpp"
#include "neuralts/lab.hpp"
#include "neuralts/world_facts.hpp"

namespace neuralts {

namespace {

bool stopped(const SweepOptions& options) { return options.stop && options.stop(); }

/// How far the runs under way are, told to the caller at most ten times a second and whenever a run ends.
class Meter {
 public:
  Meter(const SweepOptions& options, std::size_t total, std::size_t skipped) : options_(options) {
    state_.total = total;
    state_.skipped = skipped;
  }
  void moved(double part) {
    if (!options_.progress) return;
    const std::lock_guard guard(mutex_);
    state_.running += part;
    const auto now = std::chrono::steady_clock::now();
    if (now - told_ < std::chrono::milliseconds(100)) return;
    told_ = now;
    options_.progress(state_);
  }
  void ended(const Record& record) {
    const std::lock_guard guard(mutex_);
    ++state_.done;
    state_.failed += record.ok() ? 0 : 1;
    if (!options_.progress) return;
    state_.latest = &record;
    options_.progress(state_);
    state_.latest = nullptr;
  }

 private:
  const SweepOptions& options_;
  std::mutex mutex_;
  SweepProgress state_;
  std::chrono::steady_clock::time_point told_{};
};

/// Indices of the runs to do, handed out in order; records land in their places and in the folder.
class Queue final : public WorkSource {
 public:
  Queue(const std::vector<RunSpec>& runs, std::vector<std::size_t> pending,
        std::vector<std::optional<Record>>& records, const SweepOptions& options, Meter& meter)
      : runs_(runs), pending_(std::move(pending)), records_(records), options_(options), meter_(meter) {}

  std::optional<Work> next() override {
    if (stopped(options_)) return std::nullopt;
    const std::size_t place = next_++;
    if (place >= pending_.size()) return std::nullopt;
    return Work{pending_[place], runs_[pending_[place]]};
  }
  void finished(std::size_t index, Record record) override {
    if (options_.folder != nullptr) options_.folder->append(record);  // any number of writers
    records_[index] = std::move(record);
    meter_.ended(*records_[index]);
  }
  Meter& meter() { return meter_; }
  std::size_t size() const { return pending_.size(); }

 private:
  const std::vector<RunSpec>& runs_;
  std::vector<std::size_t> pending_;
  std::vector<std::optional<Record>>& records_;
  const SweepOptions& options_;
  std::atomic<std::size_t> next_{0};
  Meter& meter_;
};

/// What a run tells while it is under way.
RunHooks hooks_of(const RunSpec& spec, const SweepOptions& options, Meter& meter,
                  const std::shared_ptr<double>& part) {
  RunHooks hooks;
  hooks.stop = options.stop;
  hooks.progress = [&meter, part](std::size_t done, std::size_t total, double) {
    const double now = static_cast<double>(done) / static_cast<double>(total);
    meter.moved(now - *part);
    *part = done == total ? 0 : now;
    if (done == total) meter.moved(-now);
  };
  if (options.record) hooks.record = [&options, &spec](const RoundRecord& round) { options.record(spec, round); };
  return hooks;
}

/// The threads of this process.
class Workers {
 public:
  Workers(Queue& queue, const SweepOptions& options)
      : queue_(queue), options_(options), runner_(options.data_dir, options.worlds, options.policies) {}

  void start() {
    const std::size_t jobs = options_.jobs == 0 ? this_machine().cores : options_.jobs;
    for (std::size_t i = 0; i < std::min(jobs, queue_.size()); ++i)
      threads_.push_back(std::async(std::launch::async, [this] { take_runs(); }));
  }
  /// Passes on what broke a thread (not a run: that is a failed record), for example a full disk.
  void wait() {
    for (auto& thread : threads_) thread.wait();
    for (auto& thread : threads_) thread.get();
  }

 private:
  void take_runs() {
    try {
      while (const auto work = broken_ ? std::nullopt : queue_.next()) {
        auto record = run_one(work->spec);
        if (stopped(options_)) return;  // whatever it is, the run may have been cut short
        queue_.finished(work->index, std::move(record));
      }
    } catch (...) {
      broken_ = true;
      throw;
    }
  }
  Record run_one(const RunSpec& spec) {
    const auto part = std::make_shared<double>(0);
    Record record = runner_(spec, hooks_of(spec, options_, queue_.meter(), part));
    queue_.meter().moved(-*part);
    return record;
  }

  Queue& queue_;
  const SweepOptions& options_;
  Runner runner_;
  std::atomic<bool> broken_{false};  // one thread could not go on: the others stop after their run
  std::vector<std::future<void>> threads_;
};

/// The devices of this process: a thread for each, its runs in lock-step.
class DeviceWorkers {
 public:
  DeviceWorkers(const std::vector<RunSpec>& runs, Queue& queue, const SweepOptions& options)
      : runs_(runs), queue_(queue), options_(options), worlds_(options.data_dir, options.worlds) {}

  void start() {
    if (queue_.size() == 0) return;
    const auto devices = options_.devices.empty() ? all_devices() : options_.devices;
    const std::size_t takers = devices.size() * options_.processes, share = (queue_.size() + takers - 1) / takers;
    for (const int device : devices)
      threads_.push_back(std::async(std::launch::async,
                                    [this, device, share, threads = this_machine().cores / devices.size()] {
                                      take_runs(device, share, std::max<std::size_t>(1, threads));
                                    }));
  }
  void wait() {
    for (auto& thread : threads_) thread.wait();
    for (auto& thread : threads_) thread.get();
  }

 private:
  void take_runs(int device, std::size_t share, std::size_t threads) {
    DeviceRuns runs{.worlds = worlds_, .device = device, .threads = threads};
    runs.runs_max = std::min(options_.jobs > 0 ? options_.jobs : runs.runs_max, share);
    runs.stop = options_.stop;
    runs.hooks = [this](std::size_t index) {
      return hooks_of(runs_[index], options_, queue_.meter(), std::make_shared<double>(0));
    };
    for (const auto& note : runs.carry_out(queue_)) tell(note);
  }
  void tell(const std::string& note) {
    const std::lock_guard guard(mutex_);
    if (options_.remark && told_.insert(note).second) options_.remark(note);
  }

  const std::vector<RunSpec>& runs_;
  Queue& queue_;
  const SweepOptions& options_;
  Worlds worlds_;
  std::mutex mutex_;
  std::set<std::string> told_;
  std::vector<std::future<void>> threads_;
};

/// Every of-th run, once all worlds are known: neighbours in the list are alike and cost alike, so that the tasks do too.
std::vector<RunSpec> runs_of_task(const Experiment& experiment, const SweepOptions& options) {
  if (options.task >= options.of)
    throw Error(ErrorCode::bad_spec, "task",
                "there is no task " + std::to_string(options.task) + " of " + std::to_string(options.of),
                "tasks are counted from 0");
  std::vector<RunSpec> all = expand(experiment, options.policies), own;
  for (const RunSpec& run : all)
    if (!options.worlds.contains(run.env)) check_environment(run.env);
  for (std::size_t i = options.task; i < all.size(); i += options.of) own.push_back(std::move(all[i]));
  return own;
}

/// Puts what the folder holds into place and returns the rest.
std::vector<std::size_t> find_pending(const std::vector<RunSpec>& runs, const SweepOptions& options,
                                      std::vector<std::optional<Record>>& records) {
  std::unordered_map<std::string, Record> known;
  if (options.folder != nullptr)
    for (auto& record : options.folder->records())
      if (record.ok()) known.emplace(record.key, std::move(record));
  const Runner runner(options.data_dir, options.worlds, options.policies);
  std::vector<std::size_t> pending;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (const auto found = known.empty() ? known.end() : known.find(runner.key(runs[i])); found != known.end())
      records[i] = std::move(found->second);
    else
      pending.push_back(i);
  return pending;
}

}  // namespace

std::vector<Record> run_experiment(const Experiment& experiment, const SweepOptions& options) {
  const auto runs = runs_of_task(experiment, options);
  std::vector<std::optional<Record>> records(runs.size());
  auto pending = find_pending(runs, options, records);
  Meter meter(options, runs.size(), runs.size() - pending.size());
  const auto devices = std::stable_partition(pending.begin(), pending.end(),
                                             [&](std::size_t i) { return runs[i].device.empty(); });
  Queue here(runs, {pending.begin(), devices}, records, options, meter),
      there(runs, {devices, pending.end()}, records, options, meter);
  Workers workers(here, options);
  DeviceWorkers device_workers(runs, there, options);
  device_workers.start();
  workers.start();
  for (Queue* queue : {&there, &here})
    if (options.serve && queue->size() > 0) options.serve(*queue);
  workers.wait();
  device_workers.wait();
  if (options.folder != nullptr) options.folder->finish();
  std::vector<Record> ended;
  for (auto& record : records)
    if (record) ended.push_back(std::move(*record));
  return ended;
}

}  // namespace neuralts
