#include "neuralts/proof_events.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/text.hpp"
#include "neuralts/theory.hpp"
#include "policy/theorem.hpp"

namespace neuralts::theory {

namespace {

// A normal exceeds its mean by one standard deviation at least this often, says the proof's anti-concentration
// bound.
const double least_optimism = 1 / (4 * std::numbers::e * std::sqrt(std::numbers::pi));

// The theorem sets both.
void check_policy(const std::string& name) {
  const auto& params = policy_info(name).params;
  for (const char* key : {"lambda", "nu"})
    if (std::none_of(params.begin(), params.end(), [&](const ParamInfo& info) { return info.key == key; }))
      throw Error(ErrorCode::bad_spec, "policy", "'" + name + "' has no " + key + ", which the proof is about",
                  "take neural-ts, kernel-ts or linear-ts");
}

RunSpec with_theorem(RunSpec spec, std::uint64_t seed, const Analysis& analysis) {
  spec.seed = seed;
  spec.rounds = analysis.rounds;
  spec.policy.params["lambda"] = format_number(analysis.lambda);
  spec.policy.params["nu"] = format_number(analysis.nu);
  if (spec.policy.preset == "theorem") spec.policy.params["rounds"] = std::to_string(analysis.rounds);
  return spec;
}

// The run does not show expected rewards; a second episode of the same seed walks beside it and does.
ProofEvents watch(const Environment& env, const RunSpec& spec, double nu, double& regret) {
  ProofEvents events;
  const auto beside = env.start(spec.seed);
  RunHooks hooks;
  hooks.record = [&](const RoundRecord& record) {
    beside->next();
    const Decision& d = record.decision;
    events.count({d.mean, d.width, d.score, beside->expected(), d.arm}, nu);
  };
  regret += run(env, spec, hooks).regret;
  return events;
}

}  // namespace

void ProofEvents::count(const RoundOfProof& round, double nu) {
  const std::size_t K = round.mean.size();
  const double t = static_cast<double>(++rounds), c = theorem_draw_radius(t, static_cast<double>(K));
  const auto best = static_cast<std::size_t>(std::max_element(round.expected.begin(), round.expected.end()) -
                                             round.expected.begin());
  const auto saturated = [&](std::size_t k) {
    return round.expected[best] - round.expected[k] >= (1 + c) * nu * round.width[k];
  };
  bool draw_outside = false, mean_outside = false;
  for (std::size_t k = 0; k < K; ++k) {
    draw_outside |= std::abs(round.draw[k] - round.mean[k]) > c * nu * round.width[k];
    mean_outside |= std::abs(round.mean[k] - round.expected[k]) > nu * round.width[k];
    saturated_arms += k != best && saturated(k);
  }
  arms += K;
  draws_outside += draw_outside;
  means_outside += mean_outside;
  optimistic += round.draw[best] > round.expected[best];
  unsaturated += round.arm == best || !saturated(round.arm);
  draws_outside_bound += 1 / (t * t);
  optimistic_bound += least_optimism;
  unsaturated_bound += std::max(0.0, least_optimism - 1 / (t * t));
}

void ProofEvents::add(const ProofEvents& other) {
  rounds += other.rounds;
  draws_outside += other.draws_outside;
  draws_outside_bound += other.draws_outside_bound;
  means_outside += other.means_outside;
  optimistic += other.optimistic;
  optimistic_bound += other.optimistic_bound;
  unsaturated += other.unsaturated;
  unsaturated_bound += other.unsaturated_bound;
  saturated_arms += other.saturated_arms;
  arms += other.arms;
}

EventSummary simulate_events(const Environment& env, const EventSpec& spec,
                             const std::function<void(std::size_t, std::size_t)>& progress) {
  check_policy(spec.run.policy.name);
  EventSummary summary{.events = {}, .runs = spec.runs, .delta = spec.delta};
  const double share = 1 / static_cast<double>(spec.runs);
  for (std::size_t i = 0; i < spec.runs; ++i) {
    if (progress) progress(i, spec.runs);
    const std::uint64_t seed = spec.run.seed + i;
    const Analysis analysis = analyse(env, {.rounds = spec.run.rounds,
                                            .depth = spec.depth,
                                            .delta = spec.delta,
                                            .noise = spec.noise,
                                            .seed = seed,
                                            .threads = spec.threads});
    if (analysis.estimated_reward)
      throw Error(ErrorCode::unsupported, spec.run.env, "the world does not tell expected rewards",
                  "take a synthetic world or a classification set");
    double regret = 0;
    const ProofEvents events = watch(env, with_theorem(spec.run, seed, analysis), analysis.nu, regret);
    summary.events.add(events);
    summary.runs_means_outside += events.means_outside > 0;
    summary.nu += share * analysis.nu;
    summary.regret += share * regret;
    summary.bound += share * analysis.bound;
  }
  return summary;
}

}  // namespace neuralts::theory
