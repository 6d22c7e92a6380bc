// A data set that is already in memory, as a world.
#include <cmath>

#include "base/text.hpp"
#include "base/text_hash.hpp"
#include "data/table.hpp"
#include "world/registry.hpp"

namespace neuralts {

namespace {

void check_sizes(const LabelledData& data) {
  const std::size_t rows = data.labels.size();
  if (data.features.size() != rows * data.columns)
    throw ContractError(std::to_string(data.features.size()) + " numbers are not " + std::to_string(rows) +
                        " rows of " + std::to_string(data.columns));
  if (!data.column_names.empty() && data.column_names.size() != data.columns)
    throw ContractError(std::to_string(data.columns) + " columns but " +
                        std::to_string(data.column_names.size()) + " names");
  for (const std::uint32_t label : data.labels)
    if (label >= data.classes.size())
      throw ContractError("label " + std::to_string(label) + " of " + std::to_string(data.classes.size()) +
                          " classes");
}

std::string column_name(const LabelledData& data, std::size_t i) {
  return data.column_names.empty() ? std::string("x").append(std::to_string(i)) : data.column_names[i];
}

std::vector<float> to_floats(const LabelledData& data) {
  std::vector<float> kept(data.features.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    kept[i] = static_cast<float>(data.features[i]);
    if (std::isinf(kept[i]))
      throw ContractError(data.name + ", row " + std::to_string(i / data.columns) + " from 0, column " +
                          column_name(data, i % data.columns) + ": it is " + format_number(data.features[i]) +
                          ": finite numbers that fit a float, at most 3.4e38, are needed");
  }
  return kept;
}

Table make_table(const LabelledData& data) {
  Table table;
  for (std::size_t i = 0; i < data.columns; ++i) table.columns.push_back({column_name(data, i)});
  table.features = Matrix(data.labels.size(), data.columns, DenseFloats{to_floats(data)});
  table.label = "label";
  table.classes = data.classes;
  table.labels.assign(data.labels.begin(), data.labels.end());
  check_table(table, data.name);
  return table;
}

}  // namespace

namespace {

std::string identity_of(const LabelledData& data) {
  const auto bytes = [](auto span) {
    return std::string_view(reinterpret_cast<const char*>(span.data()), span.size_bytes());
  };
  return std::to_string(hash_text(bytes(data.features), hash_text(bytes(data.labels))));
}

}  // namespace

std::shared_ptr<const Environment> make_environment(const LabelledData& data, const Params& params) {
  check_sizes(data);
  return make_table_world(data.name, make_table(data), params, identity_of(data));
}

}  // namespace neuralts
