// The loop: one world, one policy, one seed; rewards late or at once.
#include <algorithm>
#include <chrono>

#include "lab/delay.hpp"
#include "neuralts/run.hpp"

namespace neuralts {

namespace {

class Stopwatch {
 public:
  explicit Stopwatch(double& total) : total_(total), start_(std::chrono::steady_clock::now()) {}
  ~Stopwatch() { total_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  double& total_;
  std::chrono::steady_clock::time_point start_;
};

RunSpec complete(RunSpec spec, const EnvironmentInfo& info) {
  if (spec.rounds == 0) spec.rounds = info.rounds;
  spec.policy.shape = info.shape;
  spec.policy.seed = spec.seed;
  return spec;
}

class Run {
 public:
  Run(const Environment& env, const RunSpec& spec, const RunHooks& hooks)
      : hooks_(hooks),
        step_(std::max<std::size_t>(1, (spec.rounds + 511) / 512)),
        policy_(make_policy(spec.policy)),
        episode_(env.start(spec.seed)),
        explore_(spec.seed, Purpose::exploration),
        queue_(spec.delay, spec.seed) {
    result_.spec = spec;
  }

  RunResult finish() {
    while (result_.rounds < result_.spec.rounds && episode_->next()) play_round();
    if (result_.curve_rounds.empty() || result_.curve_rounds.back() != result_.rounds) checkpoint();
    result_.resolved = policy_->resolved();
    result_.policy_bytes = policy_->memory();
    result_.notes = policy_->notes();
    return std::move(result_);
  }

 private:
  void play_round() {
    if (hooks_.stop && hooks_.stop())
      throw Error(ErrorCode::io, result_.spec.env, "stopped after " + std::to_string(result_.rounds) + " rounds");
    select();
    const auto reward = episode_->reward(decision_.arm);
    if (!reward) return;
    const double regret = count(*reward);
    learn(*reward);
    if (hooks_.record) hooks_.record({result_.rounds, episode_->contexts(), decision_, *reward, regret});
    if (result_.rounds % step_ == 0) checkpoint();
  }

  void select() {
    Stopwatch watch(result_.select_seconds);
    policy_->select(episode_->contexts(), explore_, scratch_, decision_);
  }

  double count(double reward) {
    const auto expected = episode_->expected();
    const double regret = expected.empty() ? 0 : *std::max_element(expected.begin(), expected.end()) - expected[decision_.arm];
    ++result_.rounds;
    result_.regret += regret;
    result_.reward += reward;
    return regret;
  }

  void learn(double reward) {
    Stopwatch watch(result_.learn_seconds);
    const Slice context = episode_->contexts()[decision_.arm];
    policy_->played(context);
    queue_.push(result_.rounds, context, reward);
    if (const auto finished = queue_.arrive(result_.rounds); !finished.empty()) policy_->learn(finished);
  }

  void checkpoint() {
    result_.curve_rounds.push_back(result_.rounds);
    result_.curve_regret.push_back(result_.regret);
    if (hooks_.progress) hooks_.progress(result_.rounds, result_.spec.rounds, result_.regret);
  }

  const RunHooks& hooks_;
  RunResult result_;
  std::size_t step_;
  std::unique_ptr<Policy> policy_;
  std::unique_ptr<Episode> episode_;
  Stream explore_;
  Scratch scratch_;
  Decision decision_;
  DelayQueue queue_;
};

}  // namespace

RunResult run(const Environment& env, const RunSpec& spec, const RunHooks& hooks) {
  return Run(env, complete(spec, env.info()), hooks).finish();
}

}  // namespace neuralts
