#include "world/nominal.hpp"

#include <algorithm>
#include <cmath>

#include "base/text_hash.hpp"

namespace neuralts {

namespace {

NominalCoding settled(NominalCoding coding, std::size_t values) {
  if (coding != NominalCoding::automatic) return coding;
  return values > most_values ? NominalCoding::hashed : NominalCoding::onehot;
}

/// Where a column goes: to `first` and the columns behind it.
class Target {
 public:
  Target(const Column& column, std::size_t first, NominalCoding coding) : column_(column), first_(first) {
    coding_ = column.nominal ? settled(coding, column.values.size()) : NominalCoding::code;
    if (coding_ != NominalCoding::hashed) return;
    for (const auto& value : column.values) hashes_.push_back(hash_text(value, hash_text(column.name)));
  }

  std::vector<Column> columns() const {
    std::vector<Column> all;
    const auto add = [&](const std::string& name) {
      all.push_back(
          {.name = column_.name + name, .nominal = false, .values = {}, .missing = 0, .indicator = true});
    };
    if (coding_ == NominalCoding::code) return {column_};
    if (coding_ == NominalCoding::hashed)
      for (std::size_t i = 0; i < hashed_columns; ++i) add(" #" + std::to_string(i));
    else
      for (const auto& value : column_.values) add("=" + value);
    if (column_.missing > 0) add(" missing");
    return all;
  }

  /// REQUIRES columns() columns behind `first`.
  void add(double value, SparseFloats& out) const {
    if (coding_ == NominalCoding::code) {
      if (value != 0) put(0, static_cast<float>(value), out);
    } else if (std::isnan(value)) {
      put(own_columns(), 1, out);
    } else if (coding_ == NominalCoding::onehot) {
      put(static_cast<std::size_t>(value), 1, out);
    } else {
      const std::uint64_t hash = hashes_[static_cast<std::size_t>(value)];
      put(shared_slot(hash, hashed_columns), static_cast<float>(shared_sign(hash)), out);
    }
  }

 private:
  std::size_t own_columns() const {
    return coding_ == NominalCoding::hashed ? hashed_columns : column_.values.size();
  }
  void put(std::size_t place, float value, SparseFloats& out) const {
    out.columns.push_back(static_cast<std::uint32_t>(first_ + place));
    out.values.push_back(value);
  }

  const Column& column_;
  std::size_t first_;
  NominalCoding coding_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace

std::size_t columns_of(std::size_t values, bool missing, NominalCoding coding) {
  coding = settled(coding, values);
  if (coding == NominalCoding::code) return 1;
  return (coding == NominalCoding::hashed ? hashed_columns : values) + (missing ? 1 : 0);
}

Table recode_nominal(Table table, NominalCoding coding) {
  const bool any = std::any_of(table.columns.begin(), table.columns.end(),
                               [](const Column& column) { return column.nominal; });
  if (!any || coding == NominalCoding::code) return table;
  std::vector<Target> targets;
  std::vector<Column> columns;
  for (const auto& column : table.columns) {
    targets.emplace_back(column, columns.size(), coding);
    for (auto& one : targets.back().columns()) columns.push_back(std::move(one));
  }
  SparseFloats sparse;
  std::vector<double> row(table.columns.size());
  for (std::size_t i = 0; i < table.features.rows(); ++i) {
    table.features.row(i, row);
    for (std::size_t j = 0; j < row.size(); ++j) targets[j].add(row[j], sparse);
    sparse.starts.push_back(sparse.values.size());
  }
  table.features = Matrix(table.features.rows(), columns.size(), std::move(sparse));
  table.columns = std::move(columns);
  return table;
}

}  // namespace neuralts
