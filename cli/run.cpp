#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "neuralts/experiment.hpp"

namespace neuralts::cli {

namespace {

struct Flags {
  std::string env = "quadratic", data, delay;
  RunSpec spec;
  std::vector<std::string> set;
  bool json = false;
};

void execute(Flags& flags) {
  for (const auto& text : flags.set)
    for (const auto& [key, value] : parse_params(text)) flags.spec.policy.params[key] = value;
  flags.spec.env = flags.env;
  flags.spec.delay = parse_delay(flags.delay);
  const auto env = make_environment(flags.env, flags.data);
  const RunResult result = run(*env, flags.spec);
  if (flags.json) {
    const nlohmann::json line = {{"env", flags.env},
                                 {"policy", result.spec.policy.name},
                                 {"preset", result.spec.policy.preset},
                                 {"params", result.resolved},
                                 {"seed", result.spec.seed},
                                 {"rounds", result.rounds},
                                 {"regret", result.regret},
                                 {"reward", result.reward},
                                 {"select_seconds", result.select_seconds},
                                 {"learn_seconds", result.learn_seconds}};
    fmt::print("{}\n", line.dump());
    return;
  }
  fmt::print("{} {} seed {}: {} rounds, regret {:.1f}, reward {:.1f}, select {:.3f} s, learn {:.3f} s\n", flags.env,
             result.spec.policy.name, result.spec.seed, result.rounds, result.regret, result.reward, result.select_seconds,
             result.learn_seconds);
}

}  // namespace

void add_run(CLI::App& app, int&) {
  auto flags = std::make_shared<Flags>();
  auto* command = app.add_subcommand("run", "run a policy in a world");
  command->add_option("--env", flags->env, "the world");
  command->add_option("--data", flags->data, "where data sets are");
  command->add_option("--policy", flags->spec.policy.name, "the policy");
  command->add_option("--preset", flags->spec.policy.preset, "the policy's preset");
  command->add_option("--set", flags->set, "KEY=VALUE, a parameter of the policy");
  command->add_option("--rounds", flags->spec.rounds, "horizon");
  command->add_option("--delay", flags->delay, "when rewards arrive: 0, B (batches), uniform:a..b, exponential:mean; ,lost=p: some never");
  command->add_option("--seed", flags->spec.seed, "seed");
  command->add_flag("--json", flags->json, "one JSON object on standard output");
  command->footer("Example:\n  neuralts run --env quadratic --policy neural-ts --set nu=0.1 --rounds 2000 --seed 1");
  command->callback([flags] { execute(*flags); });
}

}  // namespace neuralts::cli
