#include "data/table_builder.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

namespace {

std::vector<std::string> names_of(const std::vector<ColumnReader>& columns) {
  std::vector<std::string> names;
  for (const auto& column : columns) names.push_back(column.name());
  return names;
}

void check_distinct(std::vector<std::string> names, const std::string& file) {
  std::sort(names.begin(), names.end());
  if (const auto twin = std::adjacent_find(names.begin(), names.end()); twin != names.end())
    throw Error(ErrorCode::bad_input, file, "two columns are called '" + *twin + "'",
                "give every column a name of its own");
}

std::size_t find_label(const std::vector<std::string>& names, const std::string& label, const std::string& file) {
  const auto found = label.empty() ? names.end() - 1 : std::find(names.begin(), names.end(), label);
  if (found == names.end())
    throw Error(ErrorCode::bad_spec, file, "there is no column '" + label + "' to be the label",
                suggest(label, names));
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

TableBuilder::TableBuilder(std::string file, std::vector<ColumnReader> columns, const ReadOptions& options)
    : file_(std::move(file)), columns_(std::move(columns)) {
  const auto names = names_of(columns_);
  check_distinct(names, file_);
  if (!options.rewards.empty()) {
    find_rewards(names, options);
  } else {
    label_ = find_label(names, options.label, file_);
    columns_[label_].make_nominal();
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    dropped_.push_back(std::find(options.drop.begin(), options.drop.end(), names[i]) != options.drop.end());
    feature_of_.push_back(static_cast<std::uint32_t>(features_));
    features_ += is_feature(i);
  }
}

void TableBuilder::find_rewards(const std::vector<std::string>& names, const ReadOptions& options) {
  label_ = nowhere;
  sign_ = options.costs ? -1.0F : 1.0F;
  for (const auto& name : names) {
    pays_.push_back(name.starts_with(options.rewards));
    if (pays_.back())
      arms_.push_back(name.size() > options.rewards.size() ? name.substr(options.rewards.size()) : name);
  }
  if (arms_.size() < 2)
    throw Error(ErrorCode::bad_spec, file_,
                std::to_string(arms_.size()) + " columns begin with '" + options.rewards + "'",
                "one column with rewards per arm is needed, for two arms or more");
}

// The arm that pays most stands for the row's class.
void TableBuilder::add_best() {
  const auto last = rewards_.end(), first = last - static_cast<std::ptrdiff_t>(arms_.size());
  labels_.push_back(static_cast<std::uint32_t>(std::max_element(first, last) - first));
}

void TableBuilder::add_dense(const std::vector<std::string_view>& cells, const LineReader& at) {
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (is_feature(i))
      dense_.push_back(columns_[i].read(cells[i], at));
    else if (pays(i))
      rewards_.push_back(sign_ * columns_[i].read_reward(cells[i], at));
  if (label_ == nowhere)
    add_best();
  else
    labels_.push_back(columns_[label_].read_label(cells[label_], at));
}

void TableBuilder::add_sparse(const std::vector<SparseCell>& cells, const LineReader& at) {
  if (label_ == nowhere) at.fail("a sparse row in a file with a reward per arm", "write the rows densely");
  bool labelled = false;
  for (const auto& [position, text] : cells) {
    if (position == label_) labels_.push_back(columns_[position].read_label(text, at)), labelled = true;
    if (!is_feature(position)) continue;
    sparse_.columns.push_back(feature_of_[position]);
    sparse_.values.push_back(columns_[position].read(text, at));
  }
  sparse_.starts.push_back(sparse_.values.size());
  // What is left out is 0.
  if (!labelled) labels_.push_back(columns_[label_].is_open() ? columns_[label_].read_label("0", at) : 0);
}

std::set<std::size_t> TableBuilder::contradicted() const {
  std::set<std::size_t> positions;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].contradicted()) positions.insert(i);
  return positions;
}

// Values in order of appearance get codes in alphabetical order: a data set does not depend on the order of its
// rows.
void TableBuilder::sort_values(std::size_t position, std::size_t feature) {
  const auto rank = columns_[position].dictionary().sort();
  if (std::is_sorted(rank.begin(), rank.end())) return;
  for (std::size_t at = feature; at < dense_.size(); at += features_)
    if (dense_[at] == dense_[at]) dense_[at] = static_cast<float>(rank[static_cast<std::size_t>(dense_[at])]);
}

Table TableBuilder::finish() {
  for (const auto& column : columns_) column.check();
  Table table;
  if (label_ == nowhere) {
    table.label = "rewards";
    table.classes = std::move(arms_);
    table.rewards = std::move(rewards_);
  } else {
    const auto rank = columns_[label_].dictionary().sort();
    for (auto& label : labels_) label = rank[label];
    table.label = columns_[label_].name();
    table.classes = columns_[label_].dictionary().values();
  }
  table.labels = std::move(labels_);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!is_feature(i)) continue;
    sort_values(i, feature_of_[i]);
    table.columns.push_back(columns_[i].describe());
  }
  const std::size_t rows = table.labels.size();
  const bool sparse = sparse_.starts.size() > 1;
  table.features = sparse ? Matrix(rows, features_, std::move(sparse_))
                          : Matrix(rows, features_, DenseFloats{std::move(dense_)});
  check_table(table, file_);
  return table;
}

}  // namespace neuralts
