// What is known and what is in a file, for people.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "data/data_file.hpp"
#include "neuralts/data.hpp"

namespace neuralts {

namespace {

std::string percent(double share) { return std::to_string(static_cast<int>(std::lround(100 * share))) + " %"; }

// Fills in min, mean and max; returns each column's sum of squares, missing cells as the -1 that stands for them.
std::vector<double> summarise(const Table& table, std::vector<DataColumn>& columns) {
  std::vector<double> row(columns.size()), squares(columns.size());
  std::vector<std::size_t> counts(columns.size());
  for (auto& column : columns) column.min = std::numeric_limits<double>::infinity(), column.max = -column.min;
  for (std::size_t i = 0; i < table.features.rows(); ++i) {
    table.features.row(i, row);
    for (std::size_t j = 0; j < row.size(); ++j) {
      squares[j] += std::isnan(row[j]) ? 1 : row[j] * row[j];
      if (std::isnan(row[j])) continue;
      columns[j].min = std::min(columns[j].min, row[j]);
      columns[j].max = std::max(columns[j].max, row[j]);
      columns[j].mean += (row[j] - columns[j].mean) / static_cast<double>(++counts[j]);
    }
  }
  for (std::size_t j = 0; j < columns.size(); ++j)
    if (counts[j] == 0) columns[j].min = columns[j].max = 0;
  return squares;
}

void warn_of_columns(DataReport& report, const std::vector<double>& squares) {
  double total = 0;
  for (const double square : squares) total += square;
  for (std::size_t j = 0; j < report.columns.size(); ++j) {
    const auto& column = report.columns[j];
    const auto warn = [&](const std::string& what) {
      report.warnings.push_back("column '" + column.name + "' " + what);
    };
    if (column.missing == report.rows)
      warn("has no values");
    else if (2 * column.missing > report.rows)
      warn("is missing in " +
           percent(static_cast<double>(column.missing) / static_cast<double>(report.rows)) + " of the rows");
    if (column.nominal && column.values > 20 && 2 * column.values > report.rows)
      warn("has nearly a value per row: is it a name or a number of the row?");
    if (report.columns.size() > 1 && squares[j] > 0.9 * total)
      warn("makes up " + percent(squares[j] / total) + " of the rows' length: consider scale=minmax");
  }
}

// One line for all of them: an image has hundreds.
void warn_of_constants(DataReport& report) {
  std::size_t count = 0;
  std::string names;
  for (const auto& column : report.columns) {
    if (column.min != column.max || column.missing > 0) continue;
    if (++count <= 5) names += (count == 1 ? "" : ", ") + column.name;
  }
  if (count > 0)
    report.warnings.push_back(std::to_string(count) +
                              (count == 1 ? " column is constant: " : " columns are constant: ") + names +
                              (count > 5 ? ", ..." : ""));
}

void warn_of_classes(DataReport& report) {
  std::size_t largest = 0;
  for (const auto& c : report.classes) largest = std::max(largest, c.rows);
  for (const auto& c : report.classes) {
    if (c.rows == 0)
      report.warnings.push_back("class '" + c.label + "' is declared and never occurs");
    else if (100 * c.rows < largest)
      report.warnings.push_back("class '" + c.label + "' is rare: " + std::to_string(c.rows) + " rows");
  }
  if (2 * report.classes.size() > report.rows && report.rows > 20)
    report.warnings.push_back("there are nearly as many classes as rows: is '" + report.label +
                              "' the label column?");
}

DataReport report_of(const Table& table, const std::string& path) {
  DataReport report{.path = path, .rows = table.features.rows(), .label = table.label, .columns = {}, .classes = {}, .warnings = {}};
  for (const auto& column : table.columns)
    report.columns.push_back({.name = column.name,
                              .nominal = column.nominal,
                              .values = column.values.size(),
                              .missing = column.missing});
  for (const auto& label : table.classes) report.classes.push_back({label, 0});
  for (const auto label : table.labels) ++report.classes[label].rows;
  warn_of_columns(report, summarise(table, report.columns));
  warn_of_constants(report);
  warn_of_classes(report);
  return report;
}

}  // namespace

std::vector<DataSet> list_data(const std::string& data_dir) {
  std::vector<DataSet> sets;
  for (const auto& set : published_sets())
    sets.push_back({set.name, set.summary, set.origin, set.openml_id, set.rows, set.features, set.classes,
                    find_data(set, data_dir).value_or("")});
  return sets;
}

DataReport describe_data(const std::string& name_or_file, const std::string& data_dir,
                         const std::string& label, const std::string& sep) {
  const PublishedSet* set = find_published(name_or_file);
  if (set == nullptr && !is_data_file(name_or_file))
    throw Error(ErrorCode::bad_spec, "data set",
                "'" + name_or_file + "' is neither a known data set nor a data file",
                suggest(name_or_file, published_names()));
  DataFile file = set != nullptr ? locate(*set, data_dir) : DataFile{name_or_file, {}, {}};
  file.reading.label = label;
  file.reading.separator = separator_called(sep);
  if (sep != "auto" && file.reading.separator == '\0')
    throw Error(ErrorCode::bad_spec, "sep", "unknown separator '" + sep + "'",
                suggest(sep, {"comma", "semicolon", "tab", "pipe", "space"}));
  DataReport report = report_of(read_table(file.path, file.reading), file.path);
  report.published = set != nullptr;
  return report;
}

}  // namespace neuralts
