// neuralts evaluate, neuralts tune: what a log says of other policies.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "evaluate_flags.hpp"
#include "evaluation_view.hpp"
#include "neuralts/lab.hpp"
#include "report/short_number.hpp"
#include "text_table.hpp"

namespace neuralts::cli {

namespace {

void print_words(std::FILE* where, const Evaluation& found) {
  for (const auto& note : found.notes) fmt::print(where, "note: {}\n", note);
  for (const auto& policy : found.policies)
    for (const auto& doubt : policy.doubts) fmt::print(where, "doubt: {}: {}\n", policy.policy, doubt);
}

/// What `work` returns, with progress meanwhile.
auto watched(const LogFlags& flags, EvaluationOptions options, const auto& work) {
  EvaluationView view;
  if (!flags.quiet) options.progress = [&](const EvaluationProgress& progress) { view.show(progress); };
  return work(options);
}

struct EvaluateFlags {
  LogFlags log;
  std::vector<std::string> policies;
  std::string out, title;
};

void execute_evaluate(const EvaluateFlags& flags) {
  EvaluationOptions options = options_of(flags.log);
  if (!flags.policies.empty()) options.policies = items(flags.policies);
  if (options.policies.empty())
    throw Error(ErrorCode::bad_spec, "--policy", "no policy is named", "for example --policy uniform,neural-ts");
  if (flags.out.empty())
    options.points = 0;
  else
    check_evaluation_folder(flags.out);
  const Evaluation found = watched(
      flags.log, options, [&](const EvaluationOptions& watching) { return evaluate(flags.log.logs, watching); });
  if (flags.log.json) {
    for (const auto& policy : found.policies)
      for (const auto& estimate : policy.estimates) fmt::print("{}\n", to_json(estimate));
  } else {
    fmt::print("{} decisions with a reward, {} still open\n\n{}", found.events, found.open,
               align(estimates_table(found)));
  }
  std::fflush(stdout);
  print_words(flags.log.json ? stderr : stdout, found);
  if (!flags.out.empty())
    fmt::print(stderr, "report: {}\n", write_evaluation(found, flags.out, flags.title, command_line()));
}

struct TuneFlags {
  LogFlags log;
  std::string policy = "neural-ts";
  std::vector<std::string> set;
};

using Set = std::vector<std::pair<std::string, std::vector<std::string>>>;

Set settings(const std::vector<std::string>& texts) {
  Set all;
  for (const auto& text : texts)
    for (auto& [key, values] : parse_set(text)) all.emplace_back(key, std::move(values));
  return all;
}

void print_tuning(const Tuning& found, double confidence) {
  ReportTable table{.id = "tuning",
                    .title = "",
                    .columns = {"policy", "value", "low", "high", "lead", "lead low", "lead high", ""}};
  const auto number = [](double value) { return ReportCell{short_number(value)}; };
  for (std::size_t i = 0; i < found.settings.size(); ++i) {
    const TunedSetting& s = found.settings[i];
    std::vector<ReportCell> row{{s.policy}, number(s.value.value), number(s.value.low), number(s.value.high)};
    for (const double value : {s.lead, s.lead_low, s.lead_high})
      row.push_back(s.current ? ReportCell{"-"} : number(value));
    row.push_back({std::string(s.current ? "current " : "") + (i == found.best ? "best" : "")});
    table.rows.push_back(std::move(row));
  }
  fmt::print("{}", align(table));
  const TunedSetting& best = found.settings[found.best];
  if (best.current)
    fmt::print("\nThe current setting is the best of those tried.\n");
  else
    fmt::print(
        "\n{} leads the current setting by {} [{}, {}] at {:.4g} % for all {} looks together: {}.\n", best.policy,
        short_number(best.lead), short_number(best.lead_low), short_number(best.lead_high), 100 * confidence, found.settings.size() - 1,
        best.lead_low > 0 ? "better" : "that is within what chance does");
}

void print_tuning_json(const Tuning& found) {
  const auto all = nlohmann::json::parse(to_json(found));
  for (const auto& line : all["settings"]) fmt::print("{}\n", line.dump());
}

void execute_tune(const TuneFlags& flags) {
  EvaluationOptions options = options_of(flags.log);
  if (flags.log.estimators.empty()) options.estimators = {"dr"};
  const Set set = settings(flags.set);
  const Tuning found = watched(flags.log, options, [&](const EvaluationOptions& watching) {
    return tune(flags.log.logs, flags.policy, set, watching);
  });
  if (flags.log.json)
    print_tuning_json(found);
  else
    print_tuning(found, options.confidence);
  std::fflush(stdout);
  for (const auto& note : found.notes) fmt::print(stderr, "note: {}\n", note);
  for (std::size_t i = 0; i < found.settings.size(); ++i) {
    const TunedSetting& setting = found.settings[i];
    if (!setting.current && i != found.best) continue;  // the two that the answer is about
    for (const auto& doubt : setting.doubts) fmt::print(stderr, "doubt: {}: {}\n", setting.policy, doubt);
  }
}

}  // namespace

void add_evaluate(CLI::App& app, int&) {
  auto flags = std::make_shared<EvaluateFlags>();
  auto* command = app.add_subcommand("evaluate",
                                     "what other policies would have earned, from a log, with intervals");
  add_log_flags(*command, flags->log,
                "ips, clipped, snips, dm, dr, sndr, switch, dr-shrinkage, likelihood, cressie-read, replay (default snips,dr)");
  command
      ->add_option("--policy", flags->policies,
                   "policies to judge: uniform, logged, constant:ARM, file:agent.nts (frozen; of events it has not learned from), or names that learn from the log "
                   "('neural-ts:nu=0.1,linear-ucb'); default uniform")
      ->allow_extra_args(false);
  command->add_option("--out", flags->out, "a folder for evaluation.html, evaluation.json and estimates.csv");
  command->add_option("--title", flags->title, "the page's title");
  command->footer(
      "Which interval when: likelihood (the default) for one look at a log; betting when you look again and again, or when the log was\n"
      "written by a policy that kept learning and the answer matters.\n"
      "Examples:\n"
      "  neuralts evaluate shop.jsonl --policy uniform,logged,file:agent.nts --estimator snips,dr\n"
      "  neuralts evaluate shop.dsjson --policy neural-ts --interval betting --json");
  command->callback([flags] { execute_evaluate(*flags); });
}

void add_tune(CLI::App& app, int&) {
  auto flags = std::make_shared<TuneFlags>();
  auto* command = app.add_subcommand(
      "tune", "the setting of a policy that a log says is best, with the interval of its lead");
  add_log_flags(*command, flags->log, "the one that settings are compared by: ips, snips, dr, sndr (default dr)");
  command
      ->add_option("--policy", flags->policy,
                   "the policy as it is now, with its parameters; learns from the log")
      ->capture_default_str();
  command->add_option("--set", flags->set, "KEY=V1,V2: values to try; several keys make a grid")
      ->required()
      ->allow_extra_args(false);
  command->footer("Example:\n  neuralts tune shop.jsonl --policy neural-ts --set nu=0.01,0.05,0.2");
  command->callback([flags] { execute_tune(*flags); });
}

}  // namespace neuralts::cli
