// Rows of text into a table: which column is the label, which are left out, what every cell stands for.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "data/column_reader.hpp"

namespace neuralts {

/// A cell that is not zero in a sparse row.
struct SparseCell {
  std::size_t position;
  std::string_view text;
};

class TableBuilder {
 public:
  /// Throws Error(bad_spec) when no column has the label's name, Error(bad_input) when two columns share a name.
  TableBuilder(std::string file, std::vector<ColumnReader> columns, const ReadOptions& options);

  std::size_t columns() const { return columns_.size(); }
  /// REQUIRES one cell per column.
  void add_dense(const std::vector<std::string_view>& cells, const LineReader& at);
  /// REQUIRES positions that grow and are below columns(). What is not named is 0: the first value of a nominal
  /// column.
  void add_sparse(const std::vector<SparseCell>& cells, const LineReader& at);

  /// Columns that looked numeric and are not: the rows must be read again with these as nominal.
  std::set<std::size_t> contradicted() const;
  /// REQUIRES rows of one kind only. Throws Error(bad_input) when that is no data set.
  Table finish();

 private:
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  bool pays(std::size_t i) const { return !pays_.empty() && pays_[i]; }
  bool is_feature(std::size_t i) const { return i != label_ && !dropped_[i] && !pays(i); }
  void find_rewards(const std::vector<std::string>& names, const ReadOptions& options);
  void add_best();
  void sort_values(std::size_t position, std::size_t feature);

  std::string file_;
  std::vector<ColumnReader> columns_;
  std::vector<bool> dropped_;
  std::vector<std::uint32_t> feature_of_;  // position -> feature
  std::size_t label_ = 0, features_ = 0;  // no label, nowhere, where columns hold rewards
  std::vector<bool> pays_;                // position -> holds the reward of an arm
  std::vector<std::string> arms_;
  float sign_ = 1;
  std::vector<float> rewards_;
  std::vector<float> dense_;
  SparseFloats sparse_;
  std::vector<std::uint32_t> labels_;
};

}  // namespace neuralts
