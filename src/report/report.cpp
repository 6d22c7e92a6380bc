// A results folder told: report.html, report.md, a CSV file per table.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/file.hpp"
#include "report/report_data.hpp"
#include "report/report_page.hpp"
#include "report/theory_section.hpp"

namespace neuralts {

namespace {

template <class Word>
std::vector<std::string> distinct(const std::vector<Record>& records, Word word) {
  std::set<std::string> words;
  for (const auto& record : records) words.insert(word(record));
  return {words.begin(), words.end()};
}

std::string make_title(const Summary& summary, const std::vector<Record>& records) {
  const auto join = [](const std::vector<std::string>& words) {
    return words.size() > 4 ? fmt::format("{} and {} more", fmt::join(words.begin(), words.begin() + 3, ", "),
                                          words.size() - 3)
                            : fmt::format("{}", fmt::join(words, ", "));
  };
  if (summary.configs().empty())
    return fmt::format("No run of {} in {} ended well",
                       join(distinct(records, [](const Record& record) { return record.spec.policy.name; })),
                       join(distinct(records, [](const Record& record) { return record.spec.env; })));
  const auto& worlds = summary.worlds();
  const bool regret = std::any_of(worlds.begin(), worlds.end(),
                                  [&](const std::string& world) { return summary.regret_known(world); });
  const bool reward = std::any_of(worlds.begin(), worlds.end(),
                                  [&](const std::string& world) { return !summary.regret_known(world); });
  const std::string measure = regret && reward ? "Regret and reward" : regret ? "Regret" : "Mean reward";
  auto series = summary.series();
  std::stable_partition(series.begin(), series.end(),
                        [&](const std::string& name) { return name == protagonist(summary); });
  return fmt::format("{} of {} in {}", measure, join(series), join(worlds));
}

/// "1..20" where seeds follow each other, "1, 5, 9" elsewhere.
std::string seeds_text(const std::vector<Record>& records) {
  std::set<std::uint64_t> seeds;
  for (const auto& record : records) seeds.insert(record.spec.seed);
  std::string text;
  for (auto seed = seeds.begin(); seed != seeds.end();) {
    const std::uint64_t first = *seed;
    std::uint64_t last = first;
    for (++seed; seed != seeds.end() && *seed == last + 1; ++seed) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(first) + (last > first ? ".." + std::to_string(last) : "");
  }
  return text;
}

Report make_report(const ResultsFolder& folder, const std::vector<Record>& records, const ReportOptions& options) {
  Report report{.summary = Summary(records)};
  report.title = options.title.empty() ? make_title(report.summary, records) : options.title;
  report.runs = records.size();
  report.seeds = seeds_text(records);
  report.versions = distinct(records, [](const Record& record) { return record.version; });
  report.machines = distinct(
      records, [](const Record& record) { return fmt::format("{}, {} cores", record.cpu, record.cores); });
  report.commands = folder.commands();
  report.main = main_tables(report.summary);
  report.detail = detail_tables(report.summary);
  report.sections = options.sections;
  if (options.theory)
    if (auto theory = theory_section(report.summary, options)) report.sections.push_back(std::move(*theory));
  return report;
}

void write_text(const ResultsFolder& folder, const std::string& name, const std::string& text) {
  write_file(folder.file(name), text);
}

}  // namespace

std::string write_report(const ResultsFolder& folder, const ReportOptions& options) {
  const auto records = folder.records();
  if (records.empty())
    throw Error(ErrorCode::not_found, folder.path(), "there is no record in results.jsonl",
                "make some with neuralts run --out");
  const Report report = make_report(folder, records, options);
  for (const auto* tables : {&report.main, &report.detail})
    for (const auto& table : *tables) write_text(folder, table.id + ".csv", to_csv(table));
  for (const auto& section : report.sections)
    for (const auto& table : section.tables) write_text(folder, table.id + ".csv", to_csv(table));
  write_text(folder, "report.md", report_markdown(report));
  write_text(folder, "report.html", report_html(report));
  return folder.file("report.html");
}

}  // namespace neuralts
