#include "data/scaling.hpp"

#include <cmath>
#include <functional>
#include <limits>

#include "math/running_moments.hpp"

namespace neuralts {

namespace {

// Calls visit(column, value) for every value that is there.
void for_each_value(const Table& table, const std::function<void(std::size_t, double)>& visit) {
  std::vector<double> row(table.features.columns());
  for (std::size_t i = 0; i < table.features.rows(); ++i) {
    table.features.row(i, row);
    for (std::size_t j = 0; j < row.size(); ++j)
      if (!std::isnan(row[j])) visit(j, row[j]);
  }
}

void set(ColumnScaling& scaling, std::size_t column, double offset, double width) {
  scaling.offset[column] = offset;
  scaling.factor[column] = width > 0 ? 1 / width : 0;
}

}  // namespace

void ColumnScaling::apply(std::span<double> row) const {
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = (row[j] - offset[j]) * factor[j];
}

ColumnScaling no_scaling(std::size_t columns) {
  return {std::vector<double>(columns, 0.0), std::vector<double>(columns, 1.0)};
}

ColumnScaling minmax_scaling(const Table& table) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<Range> ranges(table.features.columns(), Range{infinity, -infinity});
  for_each_value(table, [&](std::size_t j, double value) {
    ranges[j] = {std::fmin(ranges[j].min, value), std::fmax(ranges[j].max, value)};
  });
  ColumnScaling scaling = no_scaling(ranges.size());
  for (std::size_t j = 0; j < ranges.size(); ++j)
    if (ranges[j].min <= ranges[j].max) set(scaling, j, ranges[j].min, ranges[j].max - ranges[j].min);
  return scaling;
}

ColumnScaling standard_scaling(const Table& table) {
  std::vector<math::RunningMoments> moments(table.features.columns());
  for_each_value(table, [&](std::size_t j, double value) { moments[j].add(value); });
  ColumnScaling scaling = no_scaling(moments.size());
  for (std::size_t j = 0; j < moments.size(); ++j)
    if (moments[j].count > 0) set(scaling, j, moments[j].mean, moments[j].deviation());
  return scaling;
}

ColumnScaling range_scaling(const Table& table, const std::map<std::string, Range>& ranges) {
  ColumnScaling scaling = no_scaling(table.columns.size());
  for (std::size_t j = 0; j < table.columns.size(); ++j)
    if (const auto found = ranges.find(table.columns[j].name); found != ranges.end())
      set(scaling, j, found->second.min, found->second.max - found->second.min);
  return scaling;
}

}  // namespace neuralts
