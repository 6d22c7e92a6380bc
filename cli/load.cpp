#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "neuralts/serve.hpp"

namespace neuralts::cli {

namespace {

struct Flags {
  LoadOptions options;
  bool json = false, by_second = false;
};

void print_json(const LoadReport& report, bool by_second) {
  nlohmann::ordered_json out = {
      {"decisions", report.decisions}, {"rewards", report.rewards}, {"errors", report.errors},
      {"refused", report.refused},     {"rate", report.rate},       {"p50_ms", report.p50_ms},
      {"p99_ms", report.p99_ms},       {"p999_ms", report.p999_ms}, {"refused_p99_ms", report.refused_p99_ms},
      {"seconds", report.seconds},     {"first_error", report.first_error}};
  if (by_second) out["p99_by_second_ms"] = report.p99_by_second_ms;
  fmt::print("{}\n", out.dump());
}

void print_text(const LoadReport& report) {
  fmt::print("{} decisions ({:.0f}/s), {} rewards, {} errors ({} of them 429) in {:.1f} s\n",
             report.decisions, report.rate, report.rewards, report.errors, report.refused, report.seconds);
  fmt::print("latency from the moment a request was due: p50 {:.3f} ms, p99 {:.3f} ms, p99.9 {:.3f} ms\n",
             report.p50_ms, report.p99_ms, report.p999_ms);
  if (!report.first_error.empty()) fmt::print("the first error was {}\n", report.first_error);
}

/// 1: nothing was decided.
int run(const Flags& flags) {
  const LoadReport report = run_load(flags.options);
  if (flags.json) print_json(report, flags.by_second);
  else print_text(report);
  return report.decisions == 0 ? 1 : 0;
}

}  // namespace

void add_load(CLI::App& app, int& status) {
  auto flags = std::make_shared<Flags>();
  LoadOptions& options = flags->options;
  auto* command = app.add_subcommand("load", "load a running service with decisions and rewards, and measure it");
  command->add_option("--url", options.url, "address of the service")->capture_default_str();
  command->add_option("--loop", options.loop, "its loop")->capture_default_str();
  command->add_option("--token", options.token, "token with the roles decide and reward");
  command->add_option("--rate", options.rate, "decisions per second")->capture_default_str();
  command->add_option("--rewards", options.reward_share, "rewards per decision")->capture_default_str();
  command->add_option("--seconds", options.seconds, "how long")->capture_default_str();
  command->add_option("--connections", options.connections, "connections")->capture_default_str();
  command->add_option("--actions", options.actions, "actions per decision")->capture_default_str();
  command->add_option("--length", options.length, "numbers (or features) per action")->capture_default_str();
  command->add_flag("--objects", options.objects, "JSON objects instead of vectors");
  command->add_flag("--json", flags->json, "one JSON object");
  command->add_flag("--by-second", flags->by_second, "p99 of every second as well, with --json");
  command->footer("Examples:\n  neuralts load --url http://127.0.0.1:8080 --rate 5000 --seconds 10\n"
                  "  neuralts load --url http://127.0.0.1:8080 --rate 20000 --seconds 60 --objects --json");
  command->callback([flags, &status] { status = run(*flags); });
}

}  // namespace neuralts::cli
