#include <algorithm>
#include <optional>

#include "data/csv_fields.hpp"
#include "base/number.hpp"
#include "data/table_builder.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

namespace {

std::vector<std::string> read_header(CsvRecords& records, const std::string& file) {
  if (!records.next()) throw Error(ErrorCode::bad_input, file, "the file is empty", "expected a header line with the columns' names");
  const auto& fields = records.fields();
  if (std::all_of(fields.begin(), fields.end(), [](std::string_view field) { return read_number(field).has_value(); }))
    records.lines().fail("expected a header line with the columns' names, found only numbers", "put a line such as a,b,class in front");
  std::vector<std::string> names;
  for (const auto field : fields) names.push_back(field.empty() ? "column " + std::to_string(names.size() + 1) : std::string(field));
  return names;
}

// `nominal`: positions known to be nominal from a pass before.
std::vector<ColumnReader> make_columns(const std::vector<std::string>& names, const ReadOptions& options,
                                       const std::set<std::size_t>& nominal) {
  std::vector<ColumnReader> columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (const auto list = options.declared.find(names[i]); list != options.declared.end())
      columns.emplace_back(names[i], i, Dictionary(list->second));
    else
      columns.emplace_back(names[i], i, nominal.contains(i) ? ColumnReader::Kind::nominal : ColumnReader::Kind::undecided);
  }
  return columns;
}

TableBuilder read_pass(Source& source, const ReadOptions& options, const std::set<std::size_t>& nominal) {
  CsvRecords records(source);
  const auto names = read_header(records, source.name());
  TableBuilder builder(source.name(), make_columns(names, options, nominal), options);
  while (records.next()) {
    if (records.fields().size() != builder.columns())
      records.lines().fail("expected " + std::to_string(builder.columns()) + " fields as in the header, found " +
                           std::to_string(records.fields().size()));
    builder.add_dense(records.fields(), records.lines());
  }
  return builder;
}

}  // namespace

Table read_csv(Source& source, const ReadOptions& options) {
  std::optional<TableBuilder> builder(read_pass(source, options, {}));
  if (const auto nominal = builder->contradicted(); !nominal.empty()) {
    builder.reset();  // its rows are worthless: free them before the second pass
    builder.emplace(read_pass(source, options, nominal));
  }
  return builder->finish();
}

}  // namespace neuralts
