#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "measure/bench.hpp"
#include "measure/device.hpp"
#include "command.hpp"
#include "neuralts/error.hpp"

namespace neuralts::cli {

namespace {

struct Flags {
  bool json = false, quick = false;
  std::string only, device = "cpu";
};

void print(const bench::Measurement& m, bool json) {
  if (json)
    fmt::print("{}\n", nlohmann::json{{"name", m.name},   {"value", m.value}, {"unit", m.unit},
                                      {"limit", m.limit}, {"ratio", m.ratio}, {"limit_by", m.limit_by}}.dump());
  else
    fmt::print("{:<20} {:>10.4g} {:<8} {:>10.4g} {:>7.3f}   {:.24}\n", m.name, m.value, m.unit, m.limit,
               m.ratio, m.limit_by);
  std::fflush(stdout);
}

void refuse_unknown(const std::string& name, const std::vector<std::string>& names) {
  if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
  throw Error(ErrorCode::bad_spec, "bench", "unknown measurement '" + name + "'", suggest(name, names));
}

std::vector<std::string> processor_measurements() {
  std::vector<std::string> names;
  for (const auto& one : bench::benchmarks()) names.emplace_back(one.name);
  return names;
}

void print_head(bool json) {
  if (!json)
    fmt::print("{:<20} {:>10} {:<8} {:>10} {:>7}   {}\n", "name", "value", "unit", "limit", "ratio",
               "limit set by");
}

void execute_on_device(const Flags& flags) {
  if (flags.device != "cuda")
    throw Error(ErrorCode::bad_spec, "--device", "unknown device '" + flags.device + "'", "cpu or cuda");
  refuse_unknown(flags.only, bench::device_measurements());
  fmt::print(
      stderr,
      "measuring the device: a product by cuBLAS, 264 trainings together, 264 runs in lock-step ...\n");
  const auto all = bench::measure_device(flags.quick, flags.only);
  print_head(flags.json);
  for (const auto& one : all) print(one, flags.json);
}

void execute(const Flags& flags) {
  if (flags.device != "cpu") return execute_on_device(flags);
  refuse_unknown(flags.only, processor_measurements());
  fmt::print(stderr, "measuring the machine ...\n");
  const bench::Machine machine = bench::measure_machine(flags.quick);
  fmt::print(stderr, "the limit of products is set by: {}\n", machine.product_by);
  print_head(flags.json);
  for (const auto& one : bench::benchmarks()) {
    if (!flags.only.empty() && flags.only != one.name) continue;
    fmt::print(stderr, "{}: {} ...\n", one.name, one.summary);
    bench::Measurement measured = one.run(machine, flags.quick);
    measured.name = one.name;
    print(measured, flags.json);
  }
}

}  // namespace

void add_bench(CLI::App& app, int&) {
  auto flags = std::make_shared<Flags>();
  auto* command = app.add_subcommand(
      "bench",
      "measure speed against the machine's limits (products: MKL, OpenBLAS or BLIS where one is installed)");
  command->add_flag("--json", flags->json, "one JSON object per line: name, value, unit, limit, ratio, limit_by");
  command->add_flag("--quick", flags->quick, "shorter repetitions and runs");
  command->add_option("--only", flags->only, "one measurement");
  command->add_option("--device", flags->device, "cpu, or cuda: trainings and lock-step runs on a GPU")
      ->capture_default_str();
  command->footer("Examples:\n  neuralts bench\n  neuralts bench --only train_d784 --json");
  command->callback([flags] { execute(*flags); });
}

}  // namespace neuralts::cli
