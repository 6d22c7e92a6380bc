// The report's part on theory: for every world its spectrum, its effective dimension over time, and the bound
// beside what was measured.
#pragma once

#include <optional>

#include "lab/summary.hpp"

namespace neuralts {

/// Nothing when no world of the summary is at hand. Takes seconds a world.
std::optional<ReportSection> theory_section(const Summary& summary, const ReportOptions& options);

}  // namespace neuralts
