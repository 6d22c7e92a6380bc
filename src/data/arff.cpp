// ARFF, dense and sparse: a header that declares the columns, then rows.
#include "base/text.hpp"
#include "base/whole_number.hpp"
#include "data/arff_text.hpp"
#include "data/table_builder.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

namespace {

class ArffReader {
 public:
  ArffReader(Source& source, const ReadOptions& options)
      : file_(source.name()), options_(options), lines_(source) {}

  Table read() {
    read_header();
    TableBuilder builder(file_, columns_, options_);
    std::string_view line;
    while (lines_.next(line)) {
      text_.start(line, lines_);
      if (!text_.at_end()) read_row(builder);
    }
    return builder.finish();
  }

 private:
  enum class Rows { unknown, dense, sparse };

  void read_header();
  void read_attribute();
  Dictionary read_list(const std::string& name);
  void read_row(TableBuilder& builder);
  void settle(Rows kind);
  void read_dense(TableBuilder& builder);
  void read_sparse(TableBuilder& builder);
  std::size_t read_position(std::size_t columns);

  std::string file_;
  const ReadOptions& options_;
  LineReader lines_;
  ArffText text_;
  std::vector<ColumnReader> columns_;
  Rows rows_ = Rows::unknown;
  std::vector<std::string_view> cells_;
  std::vector<SparseCell> sparse_cells_;
};

void ArffReader::read_header() {
  std::string_view line;
  while (lines_.next(line)) {
    text_.start(line, lines_);
    if (text_.at_end()) continue;
    const auto keyword = text_.word("");
    if (same_ignoring_case(keyword, "@attribute"))
      read_attribute();
    else if (same_ignoring_case(keyword, "@data") && columns_.empty())
      text_.fail("@data before any @attribute", "expected the columns to be declared first");
    else if (same_ignoring_case(keyword, "@data"))
      return;
    else if (!same_ignoring_case(keyword, "@relation"))
      text_.fail("expected @relation, @attribute or @data, found " + shown(keyword));
  }
  throw Error(ErrorCode::bad_input, file_, "the file ends before @data", "expected an ARFF header and rows");
}

void ArffReader::read_attribute() {
  const std::string name(text_.word("{"));
  if (name.empty()) text_.fail("the attribute has no name", "expected @attribute NAME TYPE");
  const std::size_t position = columns_.size();
  if (text_.take('{')) {
    const auto known = options_.declared.find(name);
    auto list = read_list(name);
    columns_.emplace_back(name, position,
                          known == options_.declared.end() ? std::move(list) : Dictionary(known->second));
    return;
  }
  const auto type = text_.word("");
  if (same_ignoring_case(type, "numeric") || same_ignoring_case(type, "real") ||
      same_ignoring_case(type, "integer"))
    columns_.emplace_back(name, position, ColumnReader::Kind::declared_numeric);
  else if (same_ignoring_case(type, "string"))
    columns_.emplace_back(name, position, ColumnReader::Kind::nominal);
  else
    text_.fail("attribute '" + name + "' has type " + shown(type),
               "expected numeric, real, integer, string or a list {a, b}");
}

Dictionary ArffReader::read_list(const std::string& name) {
  std::vector<std::string> values;
  do {
    values.emplace_back(text_.value(",}"));
    if (values.back().empty())
      text_.fail("attribute '" + name + "' declares an empty value", "expected a list such as {a, b}");
  } while (text_.take(','));
  if (!text_.take('}'))
    text_.fail("the list of attribute '" + name + "' is never closed", "expected } after its last value");
  try {
    return Dictionary(std::move(values));
  } catch (const ContractError& error) {
    text_.fail("attribute '" + name + "': " + error.what());
  }
}

void ArffReader::read_row(TableBuilder& builder) {
  const bool sparse = text_.take('{');
  settle(sparse ? Rows::sparse : Rows::dense);
  sparse ? read_sparse(builder) : read_dense(builder);
}

void ArffReader::settle(Rows kind) {
  if (rows_ != Rows::unknown && rows_ != kind)
    text_.fail("dense and sparse rows in one file", "write all rows in the same way");
  if (rows_ == Rows::unknown && kind == Rows::sparse)
    for (const auto& column : columns_)
      if (column.is_open())
        text_.fail("sparse rows with a string attribute '" + column.name() + "'",
                   "declare its values: {a, b}");
  rows_ = kind;
}

void ArffReader::read_dense(TableBuilder& builder) {
  cells_.clear();
  do cells_.push_back(text_.value(",%"));
  while (text_.take(','));
  if (!text_.at_end())
    text_.fail("value " + std::to_string(cells_.size()) + " goes on after its closing quote",
               "expected a comma");
  if (cells_.size() != columns_.size())
    text_.fail("expected " + std::to_string(columns_.size()) + " values as declared, found " +
               std::to_string(cells_.size()));
  builder.add_dense(cells_, lines_);
}

void ArffReader::read_sparse(TableBuilder& builder) {
  sparse_cells_.clear();
  while (!text_.take('}')) {
    const std::size_t position = read_position(builder.columns());
    sparse_cells_.push_back({position, text_.value(",}")});
    if (!text_.take(',') && !text_.rest().starts_with('}'))
      text_.fail("the sparse row is never closed", "expected } after its last value");
  }
  if (!text_.at_end()) text_.fail("the row goes on after its closing brace", "weights of rows are not supported");
  builder.add_sparse(sparse_cells_, lines_);
}

std::size_t ArffReader::read_position(std::size_t columns) {
  const auto word = text_.word(",}");
  const std::size_t position = parse_whole<std::size_t>(word).value_or(columns);
  if (position >= columns)
    text_.fail("expected a column's index from 0 to " + std::to_string(columns - 1) + ", found " + shown(word));
  if (!sparse_cells_.empty() && position <= sparse_cells_.back().position)
    text_.fail(
        "index " + std::to_string(position) + " after index " + std::to_string(sparse_cells_.back().position),
        "indices must grow");
  return position;
}

}  // namespace

Table read_arff(Source& source, const ReadOptions& options) { return ArffReader(source, options).read(); }

}  // namespace neuralts
