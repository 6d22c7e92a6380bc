// The report's part on theory: for every world its spectrum, its effective dimension over time, and the bound beside what was measured.
#pragma once

#include "report_sections.hpp"

namespace neuralts::cli {

std::optional<ReportSection> theory_section(const std::vector<Record>& records, const Progress& progress);

}  // namespace neuralts::cli
