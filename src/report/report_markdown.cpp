#include <fmt/format.h>

#include "report/report_page.hpp"

namespace neuralts {

namespace {

std::string table_text(const ReportTable& table, const char* level) {
  return fmt::format("\n{} {}\n\n{}{}", level, table.title, table.note.empty() ? "" : table.note + "\n\n",
                     to_markdown(table));
}

std::string section_text(const ReportSection& section) {
  std::string text = "\n## " + section.title + "\n";
  for (const auto& paragraph : section.paragraphs) text += "\n" + paragraph + "\n";
  for (const auto& table : section.tables) text += table_text(table, "###");
  return text;
}

}  // namespace

std::string report_markdown(const Report& report) {
  std::string text = "# " + report.title + "\n\n";
  text += fmt::format("{} runs, seeds {}; neuralts {}; {}.\n", report.runs, report.seeds,
                      fmt::join(report.versions, ", "), fmt::join(report.machines, "; "));
  for (const auto& table : report.main) text += table_text(table, "##");
  for (const auto& section : report.sections) text += section_text(section);
  for (const auto& table : report.detail)
    if (table.id != "runs") text += table_text(table, "##");
  text += "\n## Commands\n\n```\n";
  for (const auto& command : report.commands) text += command + "\n";
  return text + "```\n";
}

}  // namespace neuralts
