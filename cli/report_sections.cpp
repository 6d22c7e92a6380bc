#include "report_sections.hpp"

#include <fmt/core.h>

#include "theory_section.hpp"

namespace neuralts::cli {

namespace {

const std::vector<SectionMaker> makers{theory_section};

}  // namespace

std::vector<ReportSection> report_sections(const ResultsFolder& folder, bool quiet) {
  std::vector<ReportSection> sections;
  const auto records = folder.records();
  const Progress progress = [quiet](const std::string& what) {
    if (!quiet) fmt::print(stderr, "{} ...\n", what);
  };
  for (const SectionMaker make : makers)
    if (auto section = make(records, progress)) sections.push_back(std::move(*section));
  return sections;
}

}  // namespace neuralts::cli
