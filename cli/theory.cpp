#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "command.hpp"
#include "neuralts/theory.hpp"
#include "theory_checks.hpp"

namespace neuralts::cli {

namespace {

struct Flags {
  std::string env = "quadratic", data;
  theory::Options options;
  bool json = false;
};

void show_stage(const std::string& stage) {
  fmt::print(stderr, "{} ...\n", stage);
}

nlohmann::json to_json(const theory::Analysis& a) {
  return {{"env", a.env}, {"rounds", a.rounds}, {"arms", a.arms}, {"contexts", a.contexts}, {"depth", a.depth}, {"units", a.units},
          {"lambda", a.lambda}, {"delta", a.delta}, {"noise", a.noise}, {"lambda_0", a.lambda_0}, {"spectrum", a.spectrum},
          {"log_det", a.log_det}, {"log_det_error", a.log_det_error}, {"effective_dimension", a.effective_dimension},
          {"d_prime", a.d_prime}, {"d_prime_bound", a.d_prime_bound}, {"B", a.B}, {"estimated_reward", a.estimated_reward},
          {"jitter", a.jitter}, {"nu", a.nu}, {"eta", a.eta}, {"J", a.J}, {"bound", a.bound}, {"units_log10", a.units_log10},
          {"curve", {{"rounds", a.curve_rounds}, {"effective_dimension", a.curve_dimension}, {"bound", a.curve_bound}}}, {"notes", a.notes}};
}

void print_row(const char* name, const std::string& value, const char* meaning) {
  fmt::print("  {:<20} {:>14}   {}\n", name, value, meaning);
}

void print_numbers(const theory::Analysis& a) {
  const auto number = [](double value) { return fmt::format("{:.6g}", value); };
  print_row("lambda", number(a.lambda), "regularisation");
  print_row("lambda_0", number(a.lambda_0), "smallest eigenvalue of the tangent kernel matrix");
  print_row("largest eigenvalue", number(a.spectrum.front()), "");
  print_row("log det", number(a.log_det), "of I + H / lambda");
  if (a.log_det_error > 0) print_row("  within +-", number(a.log_det_error), "");
  print_row("effective dimension", number(a.effective_dimension), "log det / log(1 + TK / lambda)");
  print_row("d'", fmt::format("{}", a.d_prime), "eigenvalues above 1 / (TK)");
  print_row("d' bound", number(a.d_prime_bound), "what d' says about the effective dimension");
  print_row("B", number(a.B), "norm of the reward function");
  print_row("nu", number(a.nu), "exploration");
  print_row("eta", number(a.eta), "step of gradient descent");
  print_row("J", number(a.J), "iterations of gradient descent");
  print_row("bound", number(a.bound), "of the regret, open constants set to 1");
  print_row("bound / sqrt(T)", number(a.bound / std::sqrt(static_cast<double>(a.rounds))), "");
  print_row("units asked for",
            std::isinf(a.units_log10) ? "infinite" : fmt::format("10^{:.0f}", std::ceil(a.units_log10)),
            "by the theorem; practice does not need it");
}

void print_curve(const theory::Analysis& a) {
  fmt::print("\n  {:>8} {:>12} {:>12} {:>12}\n", "round", "dimension", "bound", "sqrt(round)");
  const std::size_t rows = std::min<std::size_t>(a.curve_rounds.size(), 10);
  for (std::size_t i = 1; i <= rows; ++i) {
    const std::size_t at = i * a.curve_rounds.size() / rows - 1;
    fmt::print("  {:>8} {:>12.4g} {:>12.4g} {:>12.4g}\n", a.curve_rounds[at], a.curve_dimension[at],
               a.curve_bound[at], std::sqrt(static_cast<double>(a.curve_rounds[at])));
  }
}

void execute(const Flags& flags) {
  const auto env = make_environment(flags.env, flags.data);
  const auto analysis = theory::analyse(*env, flags.options, show_stage);
  if (flags.json) {
    fmt::print("{}\n", to_json(analysis).dump());
    return;
  }
  fmt::print("{}: {} rounds of {} arms, {} contexts, depth {}, noise {}, delta {}\n", analysis.env,
             analysis.rounds, analysis.arms, analysis.contexts, analysis.depth, analysis.noise,
             analysis.delta);
  print_numbers(analysis);
  print_curve(analysis);
  for (const auto& note : analysis.notes) fmt::print("\nnote: {}", note);
  fmt::print("\n");
}

}  // namespace

void add_theory(CLI::App& app, int&) {
  auto flags = std::make_shared<Flags>();
  auto* command = app.add_subcommand(
      "theory", "what the regret theorem says of a world: tangent kernel, effective dimension, bound");
  command->add_option("--env", flags->env, "the world")->capture_default_str();
  command->add_option("--data", flags->data, "where data sets are");
  command->add_option("--rounds", flags->options.rounds, "T, the horizon (1000, or as many as there are)")
      ->check(at_least_one);
  command->add_option("--depth", flags->options.depth, "L, weight matrices of the network")
      ->capture_default_str()
      ->check(at_least_one);
  command->add_option("--units", flags->options.units, "m, for the step")->capture_default_str();
  command->add_option("--lambda", flags->options.lambda, "regularisation (the theorem's 1 + 1/T)");
  command->add_option("--delta", flags->options.delta, "probability with which the bound may fail")
      ->capture_default_str();
  command->add_option("--noise", flags->options.noise, "R, sub-Gaussian noise of the rewards")
      ->capture_default_str();
  command->add_option("--seed", flags->options.seed, "the episode whose contexts are taken")->capture_default_str();
  command->add_option("--exact", flags->options.exact, "largest matrix to factorise; a sketch beyond")
      ->capture_default_str();
  command->add_option("--rank", flags->options.sketch_rank, "columns of the sketch")->capture_default_str();
  command->add_option("--threads", flags->options.threads, "0: all")->capture_default_str();
  command->add_flag("--json", flags->json, "one JSON object on standard output");
  command->footer(
      "Examples:\n  neuralts theory --env quadratic --rounds 500 --json\n  neuralts theory gap --plot "
      "gap.html\n  neuralts theory events --runs 20");
  add_theory_gap(*command);
  add_theory_events(*command);
  command->callback([command, flags] {
    if (command->get_subcommands().empty()) execute(*flags);
  });
}

}  // namespace neuralts::cli
