#include "report_sections.hpp"

#include "theory_section.hpp"

namespace neuralts::cli {

namespace {

const std::vector<SectionMaker> makers{theory_section};

}  // namespace

std::vector<ReportSection> report_sections(const ResultsFolder& folder) {
  std::vector<ReportSection> sections;
  const auto records = folder.records();
  for (const SectionMaker make : makers)
    if (auto section = make(records)) sections.push_back(std::move(*section));
  return sections;
}

}  // namespace neuralts::cli
