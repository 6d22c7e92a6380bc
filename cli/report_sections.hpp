// Parts of the report that come from other rooms than the lab. Adding one: a function and a line in report_sections.cpp.
#pragma once

#include "neuralts/lab.hpp"

namespace neuralts::cli {

/// Made from the folder's records; nothing when it has nothing to say about them. A paragraph that is an <svg> element is a figure.
using SectionMaker = std::optional<ReportSection> (*)(const std::vector<Record>& records);

std::vector<ReportSection> report_sections(const ResultsFolder& folder);

}  // namespace neuralts::cli
