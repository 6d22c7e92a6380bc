// The loop: one world, one policy, one seed; rewards late or at once.
#include "neuralts/experiment.hpp"

#include <algorithm>
#include <chrono>

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

}  // namespace

Delay parse_delay(const std::string&) { return {}; }
std::string to_string(const Delay&) { return "0"; }

RunResult run(const Environment& env, const RunSpec& spec, const RunHooks& hooks) {
  RunResult result;
  result.spec = spec;
  result.spec.rounds = spec.rounds == 0 ? env.info().rounds : spec.rounds;
  result.spec.policy.shape = env.info().shape;
  result.spec.policy.seed = spec.seed;
  const auto policy = make_policy(result.spec.policy);
  const auto episode = env.start(spec.seed);
  Stream explore(spec.seed, Purpose::exploration);
  Scratch scratch;
  Decision decision;
  const std::size_t total = result.spec.rounds;
  const std::size_t step = std::max<std::size_t>(1, (total + 511) / 512);
  for (std::size_t t = 1; t <= total && episode->next(); ++t) {
    const Contexts& contexts = episode->contexts();
    {
      Stopwatch watch(result.select_seconds);
      policy->select(contexts, explore, scratch, decision);
    }
    const auto reward = episode->reward(decision.arm);
    if (!reward) continue;
    const auto expected = episode->expected();
    if (!expected.empty()) result.regret += *std::max_element(expected.begin(), expected.end()) - expected[decision.arm];
    result.reward += *reward;
    {
      Stopwatch watch(result.learn_seconds);
      policy->played(contexts[decision.arm]);
      const Finished finished{contexts[decision.arm], *reward};
      policy->learn({&finished, 1});
    }
    result.rounds = t;
    if (t % step == 0 || t == total) {
      result.curve_rounds.push_back(t);
      result.curve_regret.push_back(result.regret);
      if (hooks.progress) hooks.progress(t, total, result.regret);
    }
  }
  result.resolved = policy->resolved();
  result.policy_bytes = policy->memory();
  result.notes = policy->notes();
  return result;
}

}  // namespace neuralts
