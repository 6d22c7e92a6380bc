// The report's tables, made from a summary, and the three ways to write one.
#pragma once

#include <string>
#include <vector>

#include "lab/summary.hpp"

namespace neuralts {

std::vector<ReportTable> main_tables(const Summary& summary);    ///< regret, win/tie/loss, delay, run time
/// Parameters, tests, configurations, runs, failed runs.
std::vector<ReportTable> detail_tables(const Summary& summary);

/// Notes of a column, where any cell has one, become a column of their own.
std::string to_csv(const ReportTable& table);
std::string to_markdown(const ReportTable& table);
std::string to_html(const ReportTable& table);
std::string escape_html(std::string_view text);

}  // namespace neuralts
