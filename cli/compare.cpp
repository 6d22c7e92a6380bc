// neuralts compare: two results folders side by side, with tests.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "command.hpp"
#include "lab/comparison.hpp"
#include "report/report_page.hpp"
#include "report/report_tables.hpp"
#include "text_table.hpp"

namespace neuralts::cli {

namespace {

struct Flags {
  std::string a, b, by = "auto";
  bool csv = false, markdown = false, html = false, strict = false;
};

std::vector<Record> records_in(const std::string& folder) {
  if (!std::filesystem::exists(folder + "/results.jsonl"))
    throw Error(ErrorCode::not_found, folder, "there is no results.jsonl in it",
                "make one with neuralts run --out");
  return ResultsFolder(folder).records();
}

Comparison compare_folders(const Flags& flags, const Summary& a, const Summary& b) {
  if (flags.by == "policy") return compare(a, b, CompareBy::policy);
  const Comparison exact = compare(a, b, CompareBy::config);
  if (flags.by == "config" || !exact.rows.empty()) return exact;
  fmt::print(stderr, "no configuration is in both: comparing the best of each policy\n");
  return compare(a, b, CompareBy::policy);
}

void print_missing(const char* side, const std::vector<std::string>& names) {
  for (const auto& name : names) fmt::print(stderr, "only in {}: {}\n", side, name);
}

std::string shown(const ReportTable& table, const Flags& flags) {
  if (flags.csv) return to_csv(table);
  if (flags.markdown) return to_markdown(table);
  if (flags.html) return table_page(flags.a + " against " + flags.b, {table});
  return align(table);
}

int execute(const Flags& flags) {
  const auto records_a = records_in(flags.a), records_b = records_in(flags.b);
  const Summary a(records_a), b(records_b);
  const Comparison comparison = compare_folders(flags, a, b);
  if (comparison.rows.empty())
    throw Error(ErrorCode::bad_input, flags.b, "shares no world and policy with " + flags.a);
  const ReportTable table = comparison_table(comparison);
  fmt::print("{}", shown(table, flags));
  print_missing("A", comparison.only_a);
  print_missing("B", comparison.only_b);
  const bool worse = std::any_of(
      comparison.rows.begin(), comparison.rows.end(),
      [](const ComparisonRow& row) { return row.significant() && row.test.difference > 0; });
  return flags.strict && worse ? 1 : 0;
}

}  // namespace

void add_compare(CLI::App& app, int& status) {
  auto flags = std::make_shared<Flags>();
  auto* command = app.add_subcommand("compare", "compare two results folders, with tests at 90 %");
  command->add_option("A", flags->a, "a results folder")->required();
  command->add_option("B", flags->b, "another")->required();
  command
      ->add_option("--by", flags->by,
                   "config: the same specification in both; policy: the best of each policy; auto")
      ->check(CLI::IsMember({"auto", "config", "policy"}));
  command->add_flag("--csv", flags->csv, "as CSV");
  command->add_flag("--markdown", flags->markdown, "as a Markdown table");
  command->add_flag("--html", flags->html, "as a page");
  command->add_flag("--strict", flags->strict, "exit status 1 when B is significantly worse anywhere");
  command->footer("Example:\n  neuralts compare results/before results/after --strict");
  command->callback([flags, &status] { status = execute(*flags); });
}

}  // namespace neuralts::cli
