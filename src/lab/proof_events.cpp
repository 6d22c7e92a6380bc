#include "neuralts/proof_events.hpp"

#include "base/text.hpp"
#include "neuralts/theory.hpp"

namespace neuralts::theory {

namespace {

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

EventSummary simulate_events(const Environment& env, const EventSpec& spec, const std::function<void(std::size_t, std::size_t)>& progress) {
  EventSummary summary{.events = {}, .runs = spec.runs, .delta = spec.delta};
  const double share = 1 / static_cast<double>(spec.runs);
  for (std::size_t i = 0; i < spec.runs; ++i) {
    if (progress) progress(i, spec.runs);
    const std::uint64_t seed = spec.run.seed + i;
    const Analysis analysis = analyse(env, {.rounds = spec.run.rounds, .depth = spec.depth, .delta = spec.delta, .noise = spec.noise,
                                            .seed = seed, .threads = spec.threads});
    if (analysis.estimated_reward)
      throw Error(ErrorCode::unsupported, spec.run.env, "the world does not tell expected rewards", "take a synthetic world or a classification set");
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
