// Data sets as worlds: the six published ones by name, any other by its file.
#include "world/classification.hpp"
#include "world/nominal.hpp"
#include "data/data_file.hpp"
#include "data/catalogue.hpp"
#include "world/registry.hpp"

namespace neuralts {

namespace {

const std::vector<ParamInfo>& data_params() {
  static const std::vector<ParamInfo> params = {
      {"encoder", "disjoint", "disjoint | onehot-arm", "arm k sees x in block k, or [x; e_k]: one model for many classes"},
      {"scale", "auto", "auto | none | minmax | standard", "columns as published, as they are, to [0, 1], or to mean 0 and variance 1"},
      {"normalise", "l2", "l2 | none", "l2: every context has length 1"},
      {"missing", "-1", "a number", "stands for a value that is not there"},
      {"label", "", "a column's name", "the column with the class; empty: the last one"},
      {"nominal", "auto", "auto | onehot | code | hash",
       "columns of words: a 0/1 column per value, the value's number in the list, or 32 columns that values share; auto: the "
       "published codes for the six sets, onehot for your own files (hash above 64 values)"},
      {"sep", "auto", "auto | comma | semicolon | tab | pipe | space", "between a CSV file's fields; auto: a comma, a tab for .tsv"},
      {"switch", "0", "0 .. 1000000000", "after so many rounds every class means the next one, the last one the first; 0: never"},
      {"rewards", "", "a prefix", "columns that begin with it hold the reward of an arm each, instead of one label column"},
      {"costs", "", "a prefix", "the same for costs: an arm's reward is its cost with the sign turned"},
  };
  return params;
}

ReadOptions reading_of(const Settings& settings, ReadOptions options = {}) {
  const std::string &rewards = settings.text("rewards"), &costs = settings.text("costs");
  if (!rewards.empty() && !costs.empty()) settings.refuse("costs");
  options.label = settings.text("label");
  options.separator = separator_called(settings.text("sep"));
  options.rewards = rewards.empty() ? costs : rewards;
  options.costs = !costs.empty();
  if (!options.rewards.empty() && !options.label.empty()) settings.refuse("label");
  return options;
}

NominalCoding coding_of(const Settings& settings, NominalCoding as_it_comes) {
  const NominalCoding codings[] = {as_it_comes, NominalCoding::onehot, NominalCoding::code, NominalCoding::hashed};
  return codings[settings.choice("nominal")];
}

/// Indicators stay 0 and 1: a rare value must not become a large number.
void leave_indicators(ColumnScaling& scaling, const Table& table) {
  for (std::size_t j = 0; j < table.columns.size(); ++j)
    if (table.columns[j].indicator) scaling.offset[j] = 0, scaling.factor[j] = 1;
}

ColumnScaling make_scaling(const Settings& settings, const Table& table,
                           const std::map<std::string, Range>& published) {
  switch (settings.choice("scale")) {
    case 0:
      return range_scaling(table, published);
    case 2:
      return minmax_scaling(table);
    case 3:
      return standard_scaling(table);
    default:
      return no_scaling(table.columns.size());
  }
}

std::shared_ptr<const Environment> make_world(const std::string& name, const Settings& settings, Table table,
                                              const std::map<std::string, Range>& ranges,
                                              const std::string& identity) {
  ClassificationSettings world{
      .name = name,
      .identity = identity,
      .encoder = settings.is("encoder", "disjoint") ? ArmEncoding::disjoint : ArmEncoding::onehot_arm,
      .scaling = make_scaling(settings, table, ranges),
      .unit_rows = settings.is("normalise", "l2"),
      .switch_at = settings.count("switch"),
      .missing = settings.number("missing")};
  leave_indicators(world.scaling, table);
  return make_classification(std::make_shared<const Table>(std::move(table)), world);
}

std::shared_ptr<const Environment> make_published(const std::string& name, const Settings& settings,
                                                  const std::string& data_dir) {
  const PublishedSet& set = *find_published(name);
  const DataFile file = locate(set, data_dir);
  Table table = read_table(file.path, reading_of(settings, file.reading));
  return make_world(name, settings,
                    recode_nominal(std::move(table), coding_of(settings, NominalCoding::code)), file.ranges,
                    "");
}

}  // namespace

std::vector<EnvironmentEntry> data_entries() {
  std::vector<EnvironmentEntry> entries;
  for (const auto& set : published_sets())
    entries.push_back({{set.name, set.summary, data_params()}, make_published});
  return entries;
}

std::shared_ptr<const Environment> make_table_world(const std::string& name, Table table, const Params& given,
                                                    const std::string& identity) {
  return make_world(name, resolve("environment " + name, data_params(), {}, given), std::move(table), {}, identity);
}

std::shared_ptr<const Environment> make_file_world(const std::string& path, const Params& given) {
  const Settings settings = resolve("environment " + path, data_params(), {}, given);
  Table table = recode_nominal(read_table(path, reading_of(settings)),
                               coding_of(settings, NominalCoding::automatic));
  return make_world(path, settings, std::move(table), {}, "");
}

}  // namespace neuralts
