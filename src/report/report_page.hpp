// A report before it is written, and its two written forms.
#pragma once

#include <string>
#include <vector>

#include "report/report_tables.hpp"

namespace neuralts {

struct Report {
  Summary summary;
  std::string title{}, seeds{};
  std::size_t runs = 0;
  std::vector<std::string> versions{}, machines{}, commands{};
  std::vector<ReportTable> main{}, detail{};
  std::vector<ReportSection> sections{};
};

std::string report_html(const Report& report);
/// A page with charts alone.
std::string charts_html(const std::string& title, const std::string& note, const std::vector<ReportChart>& charts);
std::string report_markdown(const Report& report);
/// Tables alone, as a page in the report's style.
std::string table_page(const std::string& title, const std::vector<ReportTable>& tables);

}  // namespace neuralts
