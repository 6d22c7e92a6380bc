// neuralts report: a results folder told as HTML, Markdown and CSV.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "command.hpp"
#include "report_options.hpp"

namespace neuralts::cli {

void add_report(CLI::App& app, int&) {
  struct Flags {
    std::string folder, title, data;
    bool quiet = false;
  };
  auto flags = std::make_shared<Flags>();
  auto* command = app.add_subcommand("report", "write report.html, report.md and CSV tables of a results folder");
  command->add_option("folder", flags->folder, "the results folder")->required();
  command->add_option("--title", flags->title, "the report's title");
  command->add_option("--data", flags->data, "where data sets are, for the part on theory");
  command->add_flag("--quiet", flags->quiet, "no progress");
  command->footer("Example:\n  neuralts report results");
  command->callback([flags] {
    if (!std::filesystem::exists(flags->folder + "/results.jsonl"))
      throw Error(ErrorCode::not_found, flags->folder, "there is no results.jsonl in it",
                  "make one with neuralts run --out");
    const ResultsFolder folder(flags->folder);
    fmt::print("{}\n", write_report(folder, report_options(flags->title, flags->data, flags->quiet)));
  });
}

}  // namespace neuralts::cli
