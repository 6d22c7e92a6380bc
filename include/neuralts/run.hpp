// One run: a policy in a world, rewards late or at once, regret counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "neuralts/environment.hpp"
#include "neuralts/policy.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

/// When rewards arrive. "0" or "": at once. "B": in batches of B rounds (the paper's). "uniform:a..b",
/// "exponential:mean": each reward on its own, that many rounds later. ",lost=p" after any of them: a reward
/// never arrives with probability p.
struct Delay {
  enum class Kind { none, batch, uniform, exponential } kind = Kind::none;
  double a = 0, b = 0;
  double lost = 0;
};
Delay parse_delay(const std::string& text);
std::string to_string(const Delay& delay);

struct RunSpec {
  std::string env{};       ///< the world's name; run() is given the world itself and only keeps it
  PolicySpec policy{};     ///< its shape is taken from the environment
  /// Of the world, the exploration, the policy, the delay. In a log's replay all of them draw from a seed made of
  /// it: the log may be of a run of this one.
  std::uint64_t seed = 1;
  std::size_t rounds = 0;  ///< 0: the environment's default
  Delay delay{};
  /// What trains: "" is this processor, "cuda" a CUDA device; known to sweeps, not to run().
  std::string device{};
};

struct RunResult {
  RunSpec spec;                      ///< with rounds and shape as they were
  Params resolved;                   ///< the policy's every parameter
  std::size_t rounds = 0;            ///< that counted
  std::size_t offered = 0;           ///< that were shown; more than `rounds` where a log holds other arms' rewards
  /// False: nobody knows what the best arm would have paid; the regret is 0 and says nothing.
  bool regret_known = true;
  double regret = 0, reward = 0;
  double select_seconds = 0, learn_seconds = 0;
  std::vector<std::size_t> curve_rounds;  ///< at most 512 checkpoints, the last one is `rounds`
  std::vector<double> curve_regret;       ///< cumulative
  std::vector<double> curve_reward;       ///< cumulative
  std::size_t policy_bytes = 0;
  std::vector<std::string> notes;
};

/// What a log line holds; views, valid during the call.
struct RoundRecord {
  std::size_t round = 0;
  const Contexts& contexts;
  const Decision& decision;
  double reward = 0;
  double regret = 0;
};

/// Who plays in a run: a policy of the library, or anybody's. One per run, called by one thread at a time.
class Contestant {
 public:
  virtual ~Contestant() = default;
  /// As Policy::select: chooses an arm into `out`, whose vectors have one entry per arm afterwards.
  virtual void select(const Contexts& contexts, Stream& explore, Scratch& scratch, Decision& out) = 0;
  /// What the decision was between, before played().
  virtual void offered(const Contexts&) {}
  virtual void played(const Slice& context) = 0;
  virtual void learn(std::span<const Finished> rounds) = 0;
  /// Where there is one, rounds are observed by it instead of learn(), and it is asked for the trainings that
  /// fall due.
  virtual Learner* learner() { return nullptr; }
  virtual Params resolved() const { return {}; }
  virtual std::size_t memory() const { return 0; }
  virtual std::vector<std::string> notes() const { return {}; }
};
using ContestantMaker = std::function<std::unique_ptr<Contestant>(const RunSpec&)>;

struct RunHooks {
  ContestantMaker contestant{};  ///< nothing: the policy that the specification names
  std::function<void(std::size_t done, std::size_t total, double regret)> progress{};  ///< called now and then
  /// Called every round that counts.
  std::function<void(const RoundRecord&)> record{};
  /// True: end the run early by throwing Error.
  std::function<bool()> stop{};
};

/// Runs `spec` in `env`. A pure function of both, but for the times. Throws Error(bad_spec) where neither says how many rounds.
RunResult run(const Environment& env, const RunSpec& spec, const RunHooks& hooks = {});

}  // namespace neuralts
#pragma GCC visibility pop
