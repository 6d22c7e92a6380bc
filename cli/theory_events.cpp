#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "neuralts/proof_events.hpp"
#include "theory_checks.hpp"

namespace neuralts::cli {

namespace {

// The infinitely wide network in a world with |h| <= 1: nothing of the theorem's assumptions is missing.
theory::EventSpec default_spec() {
  theory::EventSpec spec;
  spec.run.env = "cosine:dim=4,arms=3,noise=0.1";
  spec.run.rounds = 100;
  spec.run.policy.name = "kernel-ts";
  spec.run.policy.preset = "paper";
  spec.run.policy.params = {{"kernel", "ntk"}};
  return spec;
}

struct Flags {
  std::string data;
  theory::EventSpec spec = default_spec();
  std::vector<std::string> set;
  std::string policy, preset;
  bool json = false;
};

nlohmann::json to_json(const theory::EventSummary& s) {
  const auto& e = s.events;
  return {{"runs", s.runs}, {"rounds", e.rounds}, {"nu", s.nu}, {"delta", s.delta}, {"regret", s.regret}, {"bound", s.bound},
          {"draws_outside", e.draws_outside}, {"draws_outside_bound", e.draws_outside_bound}, {"means_outside", e.means_outside},
          {"runs_means_outside", s.runs_means_outside}, {"optimistic", e.optimistic}, {"optimistic_bound", e.optimistic_bound},
          {"unsaturated", e.unsaturated}, {"unsaturated_bound", e.unsaturated_bound}, {"saturated_arms", e.saturated_arms}, {"arms", e.arms}};
}

void print_row(const char* what, std::size_t found, const std::string& lemma) {
  fmt::print("  {:<58} {:>9}   {}\n", what, found, lemma);
}

void print_table(const theory::EventSummary& s) {
  const auto& e = s.events;
  fmt::print("{} runs, {} rounds together, nu {:.3f} on average\n", s.runs, e.rounds, s.nu);
  print_row("rounds with a draw outside c_t nu sigma of its mean", e.draws_outside,
            fmt::format("at most {:.2f} expected", e.draws_outside_bound));
  print_row("rounds with a mean outside nu sigma of its expected reward", e.means_outside, "");
  print_row("runs with such a round", s.runs_means_outside,
            fmt::format("at most {:.2f} expected", s.delta * static_cast<double>(s.runs)));
  print_row("rounds in which the best arm's draw is optimistic", e.optimistic,
            fmt::format("at least {:.1f} expected", e.optimistic_bound));
  print_row("rounds in which an unsaturated arm is pulled", e.unsaturated,
            fmt::format("at least {:.1f} expected", e.unsaturated_bound));
  print_row("rounds in which a saturated arm is pulled", e.rounds - e.unsaturated,
            fmt::format("{} of {} arms offered were saturated", e.saturated_arms, e.arms));
  fmt::print("  regret {:.2f} a run; the theorem's bound, constants set to 1, is {:.1f}\n", s.regret, s.bound);
}

void execute(Flags& flags) {
  auto& policy = flags.spec.run.policy;
  if (!flags.policy.empty()) {
    policy.name = flags.policy;
    policy.preset = flags.preset;
    policy.params.clear();
  }
  for (const auto& text : flags.set)
    for (const auto& [key, value] : parse_params(text)) policy.params[key] = value;
  const auto env = make_environment(flags.spec.run.env, flags.data);
  const auto summary = theory::simulate_events(*env, flags.spec, [](std::size_t i, std::size_t n) {
    fmt::print(stderr, "\rrun {} of {} ", i + 1, n);
  });
  fmt::print(stderr, "\n");
  if (flags.json) fmt::print("{}\n", to_json(summary).dump());
  else print_table(summary);
}

}  // namespace

void add_theory_events(CLI::App& theory) {
  auto flags = std::make_shared<Flags>();
  auto& spec = flags->spec;
  auto* command = theory.add_subcommand("events", "how often the events of the regret proof hold in simulation");
  command->add_option("--env", spec.run.env, "a world that tells expected rewards")->capture_default_str();
  command->add_option("--data", flags->data, "where data sets are");
  command->add_option("--policy", flags->policy,
                      "a policy with lambda and nu (kernel-ts with kernel=ntk, the infinitely wide network)");
  command->add_option("--preset", flags->preset, "of --policy; theorem for neural-ts");
  command->add_option("--set", flags->set, "KEY=VALUE, a parameter of the policy");
  command->add_option("--rounds", spec.run.rounds, "T, of each run")->capture_default_str()->check(at_least_one);
  command->add_option("--runs", spec.runs, "how many seeds")->capture_default_str()->check(at_least_one);
  command->add_option("--seed", spec.run.seed, "the first one")->capture_default_str();
  command->add_option("--depth", spec.depth, "L, of the kernel behind nu")
      ->capture_default_str()
      ->check(at_least_one);
  command->add_option("--noise", spec.noise, "R, sub-Gaussian noise of the rewards")->capture_default_str();
  command->add_option("--delta", spec.delta, "probability with which the theorem may fail")->capture_default_str();
  command->add_flag("--json", flags->json, "one JSON object on standard output");
  command->callback([flags] { execute(*flags); });
}

}  // namespace neuralts::cli
