#include "lab/lock_step.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/parallel.hpp"
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

  bool ended() const { return !state || state->over(); }

  /// What goes wrong in a run is its record's; a mistyped specification is everybody's.
  template <class Body>
  void guarded(Body&& body) {
    try {
      body();
    } catch (const Error& problem) {
      if (problem.code() == ErrorCode::bad_spec) throw;
      fail(problem.what());
    } catch (const std::exception& problem) {
      fail(problem.what());
    }
  }
  void fail(const char* why) {
    record.error = why;
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

/// Runs under way, advanced together.
class Company {
 public:
  Company(LockStep& how, WorkSource& work) : how_(how), work_(work), crew_(how.threads) {}

  bool advance() {
    take_in();
    if (active_.empty()) return false;
    crew_.run(active_.size(), [&](std::size_t i) {
      if (!active_[i]->state && active_[i]->record.error.empty()) active_[i]->start(how_.worlds, how_.gpu);
      if (active_[i]->state) active_[i]->play();
    });
    if (how_.stop && how_.stop()) return false;
    train();
    hand_back();
    return true;
  }

 private:
  void take_in() {
    while (active_.size() < how_.runs_max && !none_left_) {
      auto next = work_.next();
      none_left_ = !next;
      if (!next) break;
      auto run = std::make_unique<Active>();
      run->work = std::move(*next);
      if (how_.hooks) run->hooks = how_.hooks(run->work.index);
      active_.push_back(std::move(run));
    }
  }

  void train() {
    std::vector<TrainJob> jobs;
    for (const auto& run : active_) jobs.insert(jobs.end(), run->jobs.begin(), run->jobs.end());
    if (jobs.empty()) return;
    const auto start = std::chrono::steady_clock::now();
    how_.engine.train(jobs, {.threads = how_.threads});
    const double seconds = seconds_since(start);
    how_.training_seconds += seconds;
    crew_.run(active_.size(), [&](std::size_t i) {
      active_[i]->finish_training(seconds * static_cast<double>(active_[i]->jobs.size()) / static_cast<double>(jobs.size()));
    });
  }

  void hand_back() {
    for (auto& run : active_)
      if (run->ended()) {
        work_.finished(run->work.index, run->end());
        run.reset();
      }
    std::erase(active_, nullptr);
  }

  LockStep& how_;
  WorkSource& work_;
  Crew crew_;
  std::vector<std::unique_ptr<Active>> active_;
  bool none_left_ = false;
};

}  // namespace

void LockStep::carry_out(WorkSource& work) {
  const auto start = std::chrono::steady_clock::now();
  seconds = training_seconds = 0;
  Company company(*this, work);
  while (company.advance()) continue;
  seconds = seconds_since(start);
}

}  // namespace neuralts
