// Many runs at a time: one thread per run, a queue of indices, a folder that takes what is done.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "lab/machine.hpp"
#include "neuralts/lab.hpp"

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
  Queue(const std::vector<RunSpec>& runs, std::vector<std::size_t> pending, std::vector<std::optional<Record>>& records,
        const SweepOptions& options)
      : runs_(runs),
        pending_(std::move(pending)),
        records_(records),
        options_(options),
        meter_(options, records.size(), records.size() - pending_.size()) {}

  std::optional<Work> next() override {
    if (stopped(options_)) return std::nullopt;
    const std::size_t place = next_++;
    if (place >= pending_.size()) return std::nullopt;
    return Work{pending_[place], runs_[pending_[place]]};
  }
  void finished(std::size_t index, Record record) override {
    if (options_.folder != nullptr) options_.folder->append(record);
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
  Meter meter_;
};

/// The threads of this process.
class Workers {
 public:
  Workers(Queue& queue, const SweepOptions& options) : queue_(queue), options_(options), runner_(options.data_dir, options.worlds) {}

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
    double part = 0;
    RunHooks hooks;
    hooks.stop = options_.stop;
    hooks.progress = [&](std::size_t done, std::size_t total, double) {
      const double now = static_cast<double>(done) / static_cast<double>(total);
      queue_.meter().moved(now - part);
      part = now;
    };
    if (options_.record) hooks.record = [&](const RoundRecord& round) { options_.record(spec, round); };
    Record record = runner_(spec, hooks);
    queue_.meter().moved(-part);
    return record;
  }

  Queue& queue_;
  const SweepOptions& options_;
  Runner runner_;
  std::atomic<bool> broken_{false};  // one thread could not go on: the others stop after their run
  std::vector<std::future<void>> threads_;
};

/// Puts what the folder holds into place and returns the rest.
std::vector<std::size_t> find_pending(const std::vector<RunSpec>& runs, const SweepOptions& options,
                                      std::vector<std::optional<Record>>& records) {
  std::unordered_map<std::string, Record> known;
  if (options.folder != nullptr)
    for (auto& record : options.folder->records())
      if (record.ok()) known.emplace(run_key(record.spec), std::move(record));
  std::vector<std::size_t> pending;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (const auto found = known.find(run_key(runs[i])); found != known.end())
      records[i] = std::move(found->second);
    else
      pending.push_back(i);
  return pending;
}

}  // namespace

std::vector<Record> run_experiment(const Experiment& experiment, const SweepOptions& options) {
  const auto runs = expand(experiment);
  std::vector<std::optional<Record>> records(runs.size());
  Queue queue(runs, find_pending(runs, options, records), records, options);
  Workers workers(queue, options);
  workers.start();
  if (options.serve) options.serve(queue);
  workers.wait();
  if (options.folder != nullptr) options.folder->finish();
  std::vector<Record> ended;
  for (auto& record : records)
    if (record) ended.push_back(std::move(*record));
  return ended;
}

}  // namespace neuralts
