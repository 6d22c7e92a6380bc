#include "lab/lock_step.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <mutex>
#include <optional>

#include "base/parallel.hpp"
#include "lab/run_failure.hpp"
#include "lab/run_state.hpp"
#include "model/train.hpp"

namespace neuralts {

namespace {

constexpr std::size_t rounds_at_once = 100;  // of a run that never trains, between the others' trainings

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A run under way. Its hooks stay where they are for as long as it lives.
struct Active {
  Work work;
  RunHooks hooks;
  std::shared_ptr<const Environment> world{};
  std::optional<RunState> state{};
  std::vector<TrainJob> jobs{};
  Record record{};

  bool started() const { return state || !record.error.empty(); }
  bool ended() const { return state ? state->over() : !record.error.empty(); }

  /// What goes wrong in a run is its record's; a mistyped specification is everybody's.
  template <class Body>
  void guarded(Body&& body) {
    try {
      body();
    } catch (const Error& problem) {
      if (problem.code() == ErrorCode::bad_spec) throw;
      fail(problem.what());
    } catch (const std::exception& problem) {
      fail(run_failure(problem));
    }
  }
  void fail(std::string why) {
    record.error = std::move(why);
    state.reset();
    jobs.clear();
  }

  void start(Worlds& worlds, const std::string& gpu) {
    record = blank_record(work.spec, run_key(work.spec, worlds.identity(work.spec.env)));
    record.gpu = gpu;
    guarded([&] {
      world = worlds.get(work.spec.env);
      state.emplace(*world, work.spec, hooks);
    });
  }
  /// To the next training.
  void play() {
    guarded([&] {
      jobs.clear();
      state->play(rounds_at_once);
      if (!state->over() && state->training_due()) state->prepare_training(jobs);
    });
  }
  void finish_training(double seconds) {
    if (!jobs.empty()) guarded([&] { state->finish_training(seconds); });
  }
  Record end() {
    if (state) guarded([&] { record.result = state->result(); });
    return std::move(record);
  }
};

/// Seconds with at least one training under way.
class BusyClock {
 public:
  void begin() {
    const std::lock_guard guard(mutex_);
    if (under_way_++ == 0) since_ = std::chrono::steady_clock::now();
  }
  void end() {
    const std::lock_guard guard(mutex_);
    if (--under_way_ == 0) seconds_ += seconds_since(since_);
  }
  double seconds() const { return seconds_; }

 private:
  std::mutex mutex_;
  std::chrono::steady_clock::time_point since_{};
  std::size_t under_way_ = 0;
  double seconds_ = 0;
};

/// Runs that train together, on an engine that is theirs.
class Company {
 public:
  Company(const LockStep& how, TrainEngine& engine, BusyClock& clock, std::size_t runs_max)
      : how_(how), engine_(engine), clock_(clock), runs_max_(runs_max) {}

  bool empty() const { return active_.empty(); }
  bool full() const { return active_.size() == runs_max_; }
  void add(Work work) {
    auto run = std::make_unique<Active>();
    run->work = std::move(work);
    if (how_.hooks) run->hooks = how_.hooks(run->work.index);
    active_.push_back(std::move(run));
  }

  /// All runs, to their next training.
  void play(Crew& crew) {
    crew.run(active_.size(), [&](std::size_t i) {
      if (!active_[i]->started()) active_[i]->start(how_.worlds, how_.gpu);
      if (active_[i]->state) active_[i]->play();
    });
  }

  /// On a thread of its own, until end_training().
  void begin_training() {
    jobs_.clear();
    for (const auto& run : active_) jobs_.insert(jobs_.end(), run->jobs.begin(), run->jobs.end());
    if (!jobs_.empty()) training_ = std::async(std::launch::async, [this] { return train(); });
  }
  /// Passes on what the engine throws.
  void end_training(Crew& crew) {
    if (!training_.valid()) return;
    const double each = training_.get() / static_cast<double>(jobs_.size());
    crew.run(active_.size(), [&](std::size_t i) {
      active_[i]->finish_training(each * static_cast<double>(active_[i]->jobs.size()));
    });
  }

  void hand_back(WorkSource& work) {
    for (auto& run : active_)
      if (run->ended()) {
        work.finished(run->work.index, run->end());
        run.reset();
      }
    std::erase(active_, nullptr);
  }

 private:
  double train() {
    const auto start = std::chrono::steady_clock::now();
    clock_.begin();
    try {
      engine_.train(jobs_, {.threads = how_.threads});
    } catch (...) {
      clock_.end();
      throw;
    }
    clock_.end();
    return seconds_since(start);
  }

  const LockStep& how_;
  TrainEngine& engine_;
  BusyClock& clock_;
  std::size_t runs_max_;
  std::vector<std::unique_ptr<Active>> active_;
  std::vector<TrainJob> jobs_;
  std::future<double> training_;  // goes before what it works on
};

/// The companies take turns: one plays while the others train.
class Turns {
 public:
  Turns(LockStep& how, WorkSource& work) : how_(how), work_(work), crew_(how.threads) {
    const std::size_t count = std::max<std::size_t>(1, std::min(how.engines.size(), how.runs_max));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t share = how.runs_max / count + (i < how.runs_max % count);
      companies_.push_back(std::make_unique<Company>(how, *how.engines[i], clock_, share));
    }
    deal_out();
  }

  /// Until there are no runs left, or it is stopped.
  void take_turns() {
    while (!companies_.empty()) {
      for (auto& company : companies_) {
        if (!advance(*company)) return;
        if (company->empty()) company.reset();
      }
      std::erase(companies_, nullptr);
    }
  }
  double training_seconds() const { return clock_.seconds(); }

 private:
  /// One run each in turn, so that the companies have runs of the same kinds.
  void deal_out() {
    while (!companies_.back()->full() && !none_left_)
      for (auto& company : companies_)
        if (!company->full()) take_one(*company);
  }
  void take_one(Company& company) {
    if (auto next = work_.next())
      company.add(std::move(*next));
    else
      none_left_ = true;
  }

  bool advance(Company& company) {
    company.end_training(crew_);
    company.hand_back(work_);
    while (!company.full() && !none_left_) take_one(company);
    company.play(crew_);
    if (how_.stop && how_.stop()) return false;
    company.begin_training();
    return true;
  }

  LockStep& how_;
  WorkSource& work_;
  Crew crew_;
  BusyClock clock_;
  std::vector<std::unique_ptr<Company>> companies_;
  bool none_left_ = false;
};

}  // namespace

void LockStep::carry_out(WorkSource& work) {
  const auto start = std::chrono::steady_clock::now();
  Turns turns(*this, work);
  turns.take_turns();
  training_seconds = turns.training_seconds();
  seconds = seconds_since(start);
}

}  // namespace neuralts
