// The loop: one world, one policy, one seed; rewards late or at once.
#include <algorithm>
#include <chrono>
#include <limits>

#include "lab/run_state.hpp"
#include "neuralts/world_facts.hpp"

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

/// A result of nothing yet, with its specification complete.
RunResult begun(const RunSpec& asked, const Environment& env) {
  RunResult result;
  result.spec = asked;
  RunSpec& spec = result.spec;
  if (spec.rounds == 0) spec.rounds = env.info().rounds;
  if (spec.rounds == 0 && env.info().max_rounds == 0)
    throw Error(ErrorCode::bad_spec, "environment " + env.info().name,
                "nothing says how many rounds there are", "give RunSpec::rounds or EnvironmentInfo::rounds");
  spec.policy.shape = env.info().shape;
  spec.policy.seed = world_replays(env) ? seed_of_replay(spec.seed) : spec.seed;
  return result;
}

/// A policy of the factory.
class FactoryContestant final : public Contestant {
 public:
  explicit FactoryContestant(const PolicySpec& spec) : policy_(make_policy(spec)) {}
  void select(const Contexts& contexts, Stream& explore, Scratch& scratch, Decision& out) override {
    policy_->select(contexts, explore, scratch, out);
  }
  void offered(const Contexts& contexts) override { policy_->offered(contexts); }
  void played(const Slice& context) override { policy_->played(context); }
  void learn(std::span<const Finished> rounds) override { policy_->learn(rounds); }
  Learner* learner() override { return &policy_->learner(); }
  Params resolved() const override { return policy_->resolved(); }
  std::size_t memory() const override { return policy_->memory(); }
  std::vector<std::string> notes() const override { return policy_->notes(); }

 private:
  std::unique_ptr<Policy> policy_;
};

std::unique_ptr<Contestant> make_contestant(const RunSpec& spec, const RunHooks& hooks) {
  return hooks.contestant ? hooks.contestant(spec) : std::make_unique<FactoryContestant>(spec.policy);
}

}  // namespace

RunState::RunState(const Environment& env, const RunSpec& asked, const RunHooks& hooks)
    : hooks_(hooks),
      world_(env.info()),
      result_(begun(asked, env)),
      episode_(env.start(asked.seed)),
      explore_(result_.spec.policy.seed, Purpose::exploration),
      queue_(asked.delay, result_.spec.policy.seed) {
  step_ = std::max<std::size_t>(1, (result_.spec.rounds + 511) / 512);
  policy_ = make_contestant(result_.spec, hooks);
  if (!episode_)
    throw ContractError("environment " + world_.name + ": start(" + std::to_string(asked.seed) +
                        ") made nothing");
  if (!policy_) throw ContractError("policy " + asked.policy.name + ": its maker made nothing");
  learner_ = policy_->learner();
  result_.notes = world_notes(env);
}

void RunState::play(std::size_t rounds_max) {
  for (std::size_t played = 0; played < rounds_max && !training_due(); ++played) {
    over_ = over_ || result_.rounds >= result_.spec.rounds || !episode_->next();
    if (over_) return;
    play_round();
  }
}

void RunState::play_round() {
  if (hooks_.stop && hooks_.stop())
    throw Error(ErrorCode::io, result_.spec.env, "stopped after " + std::to_string(result_.rounds) + " rounds");
  check_round(world_, ++result_.offered, *episode_);
  select();
  const auto reward = episode_->reward(decision_.arm);
  if (!reward) return;
  check_paid(world_, result_.offered, *episode_, decision_.arm, *reward);
  const double regret = count(*reward);
  learn(*reward);
  if (hooks_.record) hooks_.record({result_.rounds, episode_->contexts(), decision_, *reward, regret});
  if (result_.rounds % step_ == 0) checkpoint();
}

void RunState::select() {
  Stopwatch watch(result_.select_seconds);
  policy_->select(episode_->contexts(), explore_, scratch_, decision_);
  const std::size_t arms = episode_->contexts().arms();
  if (decision_.arm >= arms)
    throw ContractError("policy " + result_.spec.policy.name + ", round " + std::to_string(result_.offered) +
                        ": arm " + std::to_string(decision_.arm) + " was chosen of " + std::to_string(arms) +
                        " offered, counted from 0");
}

double RunState::count(double reward) {
  const auto expected = episode_->expected();
  result_.regret_known = result_.regret_known && !expected.empty();
  const double regret = expected.empty()
                            ? 0
                            : *std::max_element(expected.begin(), expected.end()) - expected[decision_.arm];
  ++result_.rounds;
  result_.regret += regret;
  result_.reward += reward;
  return regret;
}

void RunState::learn(double reward) {
  Stopwatch watch(result_.learn_seconds);
  const Slice context = episode_->contexts()[decision_.arm];
  policy_->offered(episode_->contexts());
  policy_->played(context);
  queue_.push(result_.rounds, context, reward);
  const auto finished = queue_.arrive(result_.rounds);
  if (finished.empty()) return;
  if (learner_ != nullptr)
    learner_->observe(finished);
  else
    policy_->learn(finished);
}

void RunState::train() {
  Stopwatch watch(result_.learn_seconds);
  learner_->train();
}

void RunState::prepare_training(std::vector<TrainJob>& jobs) { learner_->prepare_training(jobs); }

void RunState::finish_training(double seconds) {
  result_.learn_seconds += seconds;
  Stopwatch watch(result_.learn_seconds);
  learner_->finish_training();
}

void RunState::checkpoint() {
  result_.curve_rounds.push_back(result_.rounds);
  result_.curve_regret.push_back(result_.regret);
  result_.curve_reward.push_back(result_.reward);
  if (hooks_.progress) hooks_.progress(result_.rounds, result_.spec.rounds, result_.regret);
}

RunResult RunState::result() {
  if (result_.curve_rounds.empty() || result_.curve_rounds.back() != result_.rounds) checkpoint();
  result_.resolved = policy_->resolved();
  result_.policy_bytes = policy_->memory();
  for (auto& note : policy_->notes()) result_.notes.push_back(std::move(note));
  return std::move(result_);
}

RunResult run(const Environment& env, const RunSpec& spec, const RunHooks& hooks) {
  RunState state(env, spec, hooks);
  for (;;) {
    state.play(std::numeric_limits<std::size_t>::max());
    if (state.over()) return state.result();
    state.train();
  }
}

}  // namespace neuralts
