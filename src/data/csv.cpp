#include <algorithm>
#include <optional>

#include "data/csv_fields.hpp"
#include "base/text.hpp"
#include "data/table_builder.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

namespace {

struct Separator {
  char character;
  const char* name;
};
constexpr Separator separators[] = {
    {',', "comma"}, {';', "semicolon"}, {'\t', "tab"}, {'|', "pipe"}, {' ', "space"}};

// A header of one field that holds several of another separator: the file was written with that one.
void refuse_wrong_separator(const CsvRecords& records, char separator) {
  if (records.fields().size() != 1) return;
  const auto header = records.fields().front();
  for (const auto& [character, name] : separators)
    if (character != separator && character != ' ' && std::count(header.begin(), header.end(), character) > 0)
      records.lines().fail("the header is one field, " + shown(header),
                           std::string("is the separator another one? give sep=") + name);
}

std::vector<std::string> read_header(CsvRecords& records, const std::string& file, char separator) {
  if (!records.next())
    throw Error(ErrorCode::bad_input, file, "the file is empty",
                "expected a header line with the columns' names");
  refuse_wrong_separator(records, separator);
  const auto& fields = records.fields();
  if (std::all_of(fields.begin(), fields.end(),
                  [](std::string_view field) { return parse_number(field).has_value(); }))
    records.lines().fail("expected a header line with the columns' names, found only numbers",
                         "put a line such as a,b,class in front");
  std::vector<std::string> names;
  for (const auto field : fields)
    names.push_back(field.empty() ? "column " + std::to_string(names.size() + 1) : std::string(field));
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
      columns.emplace_back(names[i], i,
                           nominal.contains(i) ? ColumnReader::Kind::nominal : ColumnReader::Kind::undecided);
  }
  return columns;
}

char separator_of(const Source& source, const ReadOptions& options) {
  if (options.separator != '\0') return options.separator;
  const std::string& name = source.name();
  return name.ends_with(".tsv") || name.ends_with(".tsv.gz") ? '\t' : ',';
}

TableBuilder read_pass(Source& source, const ReadOptions& options, const std::set<std::size_t>& nominal) {
  const char separator = separator_of(source, options);
  CsvRecords records(source, separator);
  const auto names = read_header(records, source.name(), separator);
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

char separator_called(std::string_view word) {
  for (const auto& [character, name] : separators)
    if (word == name) return character;
  return '\0';
}

Table read_csv(Source& source, const ReadOptions& options) {
  std::optional<TableBuilder> builder(read_pass(source, options, {}));
  if (const auto nominal = builder->contradicted(); !nominal.empty()) {
    builder.reset();  // its rows are worthless: free them before the second pass
    builder.emplace(read_pass(source, options, nominal));
  }
  return builder->finish();
}

}  // namespace neuralts
