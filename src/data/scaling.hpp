// Column scaling and row normalisation: from a data set's row to the numbers a policy sees.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "data/table.hpp"

namespace neuralts {

struct Range {
  double min = 0, max = 1;
};

/// x -> (x - offset) * factor, per column.
struct ColumnScaling {
  std::vector<double> offset, factor;
  void apply(std::span<double> row) const;
};

ColumnScaling no_scaling(std::size_t columns);
/// To [0, 1] by the data's own range; a constant column becomes 0.
ColumnScaling minmax_scaling(const Table& table);
/// To mean 0, variance 1; a constant column becomes 0.
ColumnScaling standard_scaling(const Table& table);
/// To [0, 1] by given ranges, other columns as they are.
ColumnScaling range_scaling(const Table& table, const std::map<std::string, Range>& ranges);

}  // namespace neuralts
