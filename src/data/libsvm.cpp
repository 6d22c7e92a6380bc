// LibSVM's sparse text: "label index:value index:value ... # comment", indices from 1, growing.
#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "base/whole_number.hpp"
#include "data/column_reader.hpp"

namespace neuralts {

namespace {

// A context is dense: more columns than this are a mistake in the file rather than a data set.
constexpr std::uint32_t max_columns = 2'000'000;

class LibsvmReader {
 public:
  explicit LibsvmReader(Source& source) : file_(source.name()), lines_(source) {}

  Table read() {
    std::string_view line;
    while (lines_.next(line)) {
      line = trim(line.substr(0, line.find('#')));
      if (!line.empty()) read_row(line);
    }
    return finish();
  }

 private:
  void read_row(std::string_view line);
  void read_label(std::string_view word);
  void read_cell(std::string_view word);
  std::uint32_t read_index(std::string_view word, std::string_view index);
  Table finish();

  std::string file_;
  LineReader lines_;
  Dictionary classes_;
  std::vector<std::uint32_t> labels_;
  SparseFloats cells_;
  std::uint32_t columns_ = 0;
};

std::string_view next_word(std::string_view& line) {
  line = trim(line);
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  const auto word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

void LibsvmReader::read_row(std::string_view line) {
  read_label(next_word(line));
  for (auto word = next_word(line); !word.empty(); word = next_word(line)) read_cell(word);
  cells_.starts.push_back(cells_.values.size());
}

// "+1" and "1" are the same class.
void LibsvmReader::read_label(std::string_view word) {
  const auto number = parse_number(word);
  if (!number || !std::isfinite(*number))
    lines_.fail("expected a number as the class label, found " + shown(word), "a row begins with its label");
  labels_.push_back(static_cast<std::uint32_t>(classes_.code(format_number(*number))));
}

void LibsvmReader::read_cell(std::string_view word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) lines_.fail("expected index:value, found " + shown(word));
  const std::uint32_t index = read_index(word, word.substr(0, colon));
  const auto number = parse_number(word.substr(colon + 1));
  const float value = number ? static_cast<float>(*number) : missing_value;
  if (!std::isfinite(value))
    lines_.fail("expected a finite number after the colon, found " + shown(word), "3.4e38 is the largest");
  cells_.columns.push_back(index - 1);
  cells_.values.push_back(value);
  columns_ = std::max(columns_, index);
}

std::uint32_t LibsvmReader::read_index(std::string_view word, std::string_view text) {
  const std::uint32_t index = parse_whole<std::uint32_t>(text).value_or(0);
  if (index < 1 || index > max_columns)
    lines_.fail("expected an index from 1 to " + std::to_string(max_columns) + ", found " + shown(word),
                "indices begin with 1");
  const bool first_of_row = cells_.columns.size() == cells_.starts.back();
  if (!first_of_row && index - 1 <= cells_.columns.back())
    lines_.fail("index " + std::to_string(index) + " after index " + std::to_string(cells_.columns.back() + 1),
                "indices must grow within a row");
  return index;
}

Table LibsvmReader::finish() {
  Table table;
  const auto rank = classes_.sort();
  for (auto& label : labels_) label = rank[label];
  table.label = "label";
  table.classes = classes_.values();
  table.labels = std::move(labels_);
  for (std::uint32_t i = 1; i <= columns_; ++i) table.columns.push_back({"feature " + std::to_string(i)});
  table.features = Matrix(table.labels.size(), columns_, std::move(cells_));
  check_table(table, file_);
  return table;
}

}  // namespace

Table read_libsvm(Source& source) { return LibsvmReader(source).read(); }

}  // namespace neuralts
