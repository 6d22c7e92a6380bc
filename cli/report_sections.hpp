// Parts of the report that come from other rooms than the lab. Adding one: a function and a line in report_sections.cpp.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "neuralts/lab.hpp"

namespace neuralts::cli {

/// Says what it is about to do, as it may take a while.
using Progress = std::function<void(const std::string&)>;
/// Made from the folder's records; nothing when it has nothing to say about them. A paragraph that is an <svg> element is a figure.
using SectionMaker = std::optional<ReportSection> (*)(const std::vector<Record>& records, const Progress& progress);

std::vector<ReportSection> report_sections(const ResultsFolder& folder, bool quiet);

}  // namespace neuralts::cli
