#include <algorithm>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "env/column_reader.hpp"
#include "env/csv_fields.hpp"
#include "env/number.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

namespace {

// One pass over a CSV file. `nominal`: positions known to be nominal from a pass before.
class CsvPass {
 public:
  CsvPass(Source& source, const ReadOptions& options, const std::set<std::size_t>& nominal)
      : name_(source.name()), records_(source), options_(options) {
    read_header();
    for (std::size_t i = 0; i < header_.size(); ++i) columns_.push_back(column_at(i, nominal));
    while (records_.next()) read_row();
  }

  std::set<std::size_t> contradicted() const {
    std::set<std::size_t> positions;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i].contradicted()) positions.insert(i);
    return positions;
  }

  Table finish();

 private:
  void read_header();
  void find_label();
  ColumnReader column_at(std::size_t i, const std::set<std::size_t>& nominal) const;
  void read_row();
  bool is_feature(std::size_t i) const { return i != label_ && !dropped_[i]; }

  std::string name_;
  CsvRecords records_;
  const ReadOptions& options_;
  std::vector<std::string> header_;
  std::vector<bool> dropped_;
  std::vector<ColumnReader> columns_;
  std::size_t label_ = 0;
  std::vector<float> cells_;
  std::vector<std::uint32_t> labels_;
};

void CsvPass::read_header() {
  if (!records_.next()) throw Error(ErrorCode::bad_input, name_, "the file is empty", "expected a header line with the columns' names");
  const auto& fields = records_.fields();
  if (std::all_of(fields.begin(), fields.end(), [](std::string_view f) { return read_number(f).has_value(); }))
    records_.lines().fail("expected a header line with the columns' names, found only numbers", "put a line such as a,b,class in front");
  for (const auto field : fields) {
    header_.emplace_back(field.empty() ? "column " + std::to_string(header_.size() + 1) : std::string(field));
    if (std::find(header_.begin(), header_.end() - 1, header_.back()) != header_.end() - 1)
      records_.lines().fail("two columns are called '" + header_.back() + "'", "give every column a name of its own");
    dropped_.push_back(std::find(options_.drop.begin(), options_.drop.end(), header_.back()) != options_.drop.end());
  }
  find_label();
}

void CsvPass::find_label() {
  const auto found = options_.label.empty() ? header_.end() - 1 : std::find(header_.begin(), header_.end(), options_.label);
  if (found == header_.end())
    throw Error(ErrorCode::bad_spec, name_, "there is no column '" + options_.label + "' to be the label",
                suggest(options_.label, header_));
  label_ = static_cast<std::size_t>(found - header_.begin());
}

ColumnReader CsvPass::column_at(std::size_t i, const std::set<std::size_t>& nominal) const {
  if (const auto list = options_.declared.find(header_[i]); list != options_.declared.end())
    return {header_[i], i, Dictionary(list->second)};
  return {header_[i], i, i == label_ || nominal.contains(i) ? ColumnReader::Kind::nominal : ColumnReader::Kind::undecided};
}

void CsvPass::read_row() {
  const auto& fields = records_.fields();
  if (fields.size() != columns_.size())
    records_.lines().fail("expected " + std::to_string(columns_.size()) + " fields as in the header, found " +
                          std::to_string(fields.size()));
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (is_feature(i)) cells_.push_back(columns_[i].read(fields[i], records_.lines()));
  labels_.push_back(columns_[label_].read_label(fields[label_], records_.lines()));
}

void recode(std::span<float> cells, std::size_t columns, std::size_t column, const std::vector<std::uint32_t>& rank) {
  for (std::size_t at = column; at < cells.size(); at += columns)
    if (cells[at] == cells[at]) cells[at] = static_cast<float>(rank[static_cast<std::size_t>(cells[at])]);
}

Table CsvPass::finish() {
  Table table;
  const auto rank = columns_[label_].dictionary().sort();
  for (auto& label : labels_) label = rank[label];
  table.label = header_[label_];
  table.classes = columns_[label_].dictionary().values();
  table.labels = std::move(labels_);
  const auto features = static_cast<std::size_t>(std::count(dropped_.begin(), dropped_.end(), false)) - !dropped_[label_];
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!is_feature(i)) continue;
    const auto order = columns_[i].dictionary().sort();
    if (!std::is_sorted(order.begin(), order.end())) recode(cells_, features, table.columns.size(), order);
    table.columns.push_back(columns_[i].describe());
  }
  table.features = Matrix(table.labels.size(), features, DenseFloats{std::move(cells_)});
  check_table(table, name_);
  return table;
}

}  // namespace

Table read_csv(Source& source, const ReadOptions& options) {
  std::optional<CsvPass> pass(std::in_place, source, options, std::set<std::size_t>{});
  if (const auto nominal = pass->contradicted(); !nominal.empty()) pass.emplace(source, options, nominal);
  return pass->finish();
}

}  // namespace neuralts
