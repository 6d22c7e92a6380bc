#include "neuralts/data.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "command.hpp"

namespace neuralts::cli {

namespace {

struct Flags {
  std::string name, data, label, sep = "auto";
  FetchOptions fetch;
};

void print_list(const Flags& flags) {
  fmt::print("{:<10} {:>8} {:>8} {:>7}  {:>6}  {}\n", "name", "rows", "features", "classes", "openml", "where");
  for (const auto& set : list_data(flags.data)) {
    fmt::print("{:<10} {:>8} {:>8} {:>7}  {:>6}  {}\n", set.name, set.rows, set.features, set.classes,
               set.openml_id, set.path.empty() ? "not here: neuralts data fetch " + set.name : set.path);
    fmt::print("{:<10} {} ({})\n", "", set.summary, set.origin);
  }
}

void print_column(const DataColumn& column, std::size_t width) {
  const std::string kind = column.nominal ? fmt::format("{} values", column.values) : "numeric";
  fmt::print("  {:<{}}  {:<12} {:>8}  {:>12.6g} {:>12.6g} {:>12.6g}\n", column.name, width, kind,
             column.missing, column.min, column.mean, column.max);
}

// What a policy will see of the columns of words, and how to have it otherwise.
void print_coding(const DataReport& report) {
  const auto nominal = std::count_if(report.columns.begin(), report.columns.end(),
                                     [](const DataColumn& column) { return column.nominal; });
  if (nominal == 0) return;
  fmt::print("\n{} of {} columns hold words. ", nominal, report.columns.size());
  if (report.published)
    fmt::print(
        "As published, a word is its number in the list (nominal=code);\nnominal=onehot gives every word a "
        "column of its own and learns better.\n");
  else
    fmt::print(
        "Every word gets a 0/1 column of its own (nominal=onehot), above 64 words\na column shares 32 "
        "(nominal=hash); "
        "nominal=code gives a word its number in the list.\n");
}

void print_info(const Flags& flags) {
  const DataReport report = describe_data(flags.name, flags.data, flags.label, flags.sep);
  fmt::print("{}: {} rows, {} features, {} classes\n\n", report.path, report.rows, report.columns.size(),
             report.classes.size());
  std::size_t width = 6;
  for (const auto& column : report.columns) width = std::max(width, column.name.size());
  fmt::print("  {:<{}}  {:<12} {:>8}  {:>12} {:>12} {:>12}\n", "column", width, "kind", "missing", "min",
             "mean", "max");
  for (const auto& column : report.columns) print_column(column, width);
  fmt::print("\nlabel '{}'\n", report.label);
  for (const auto& c : report.classes)
    fmt::print("  {:<12} {:>8}  {:5.1f} %\n", c.label, c.rows,
               100.0 * static_cast<double>(c.rows) / static_cast<double>(report.rows));
  print_coding(report);
  if (!report.warnings.empty()) fmt::print("\n");
  for (const auto& warning : report.warnings) fmt::print("warning: {}\n", warning);
}

void show_progress(const std::string& name, std::size_t done, std::size_t total) {
  constexpr double mebi = 1 << 20;
  if (total == 0) return fmt::print(stderr, "\r{}: {:.1f} MiB", name, static_cast<double>(done) / mebi);
  const double share = static_cast<double>(done) / static_cast<double>(total);
  fmt::print(stderr, "\r{}: [{:<40}] {:3.0f} % of {:.1f} MiB", name,
             std::string(static_cast<std::size_t>(40 * share), '#'), 100 * share,
             static_cast<double>(total) / mebi);
}

void fetch(Flags& flags) {
  bool shown = false;
  if (::isatty(STDERR_FILENO) != 0)
    flags.fetch.progress = [&](std::size_t done, std::size_t total) {
      show_progress(flags.name, done, total);
      shown = true;
    };
  const Fetched fetched = fetch_data(flags.name, flags.fetch);
  if (shown) fmt::print(stderr, "\n");
  fmt::print("{} {}\n", fetched.path, fetched.cached ? "is here already" : "fetched, checksum right");
  if (!fetched.label.empty()) fmt::print("label column: {}\n", fetched.label);
}

}  // namespace

void add_data(CLI::App& app, int&) {
  auto flags = std::make_shared<Flags>();
  auto* command = app.add_subcommand("data", "data sets: what is known, what is in one, where to get it");
  command->require_subcommand(1);
  command->footer(
      "Examples:\n  neuralts data list\n  neuralts data info mushroom\n  neuralts data fetch openml:24");
  auto* list = command->add_subcommand("list", "known data sets and where they are");
  auto* info = command->add_subcommand("info", "columns, classes and warnings of a data set");
  auto* get = command->add_subcommand("fetch", "get a data set from OpenML");
  for (auto* sub : {list, info}) sub->add_option("--data", flags->data, "where data sets are");
  info->add_option("NAME", flags->name, "a known name or a file")->required();
  info->add_option("--label", flags->label, "the label column; the last one unless given");
  info->add_option("--sep", flags->sep, "between a CSV file's fields: comma, semicolon, tab, pipe or space");
  get->add_option("NAME", flags->name, "a known name or openml:ID")->required();
  get->add_option("--from", flags->fetch.from,
                  "address of the service; $NEURALTS_OPENML, then OpenML's public one");
  get->add_option("--to", flags->fetch.folder, "folder to keep it in; the user's data folder unless given");
  list->callback([flags] { print_list(*flags); });
  info->callback([flags] { print_info(*flags); });
  get->callback([flags] { fetch(*flags); });
}

}  // namespace neuralts::cli
