// Data sets as worlds: the six presets by name, any other by its file.
#include "world/classification.hpp"
#include "data/data_file.hpp"
#include "data/catalogue.hpp"
#include "world/registry.hpp"

namespace neuralts {

namespace {

const std::vector<ParamInfo>& data_params() {
  static const std::vector<ParamInfo> params = {
      {"encoder", "disjoint", "disjoint | onehot-arm", "arm k sees x in block k, or [x; e_k]: one model for many classes"},
      {"scale", "preset", "preset | none | minmax | standard", "columns as published, as they are, to [0, 1], or to mean 0 and variance 1"},
      {"normalise", "l2", "l2 | none", "l2: every context has length 1"},
      {"missing", "-1", "a number", "stands for a value that is not there"},
      {"label", "", "a column's name", "the column with the class; empty: the last one"},
  };
  return params;
}

Scaling make_scaling(const Settings& settings, const Table& table, const std::map<std::string, Range>& published) {
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
                                              const std::map<std::string, Range>& ranges) {
  ClassificationSettings world{
      .name = name,
      .encoder = settings.is("encoder", "disjoint") ? Encoder::disjoint : Encoder::onehot_arm,
      .scaling = make_scaling(settings, table, ranges),
      .unit_rows = settings.is("normalise", "l2"),
      .missing = settings.number("missing")};
  return make_classification(std::make_shared<const Table>(std::move(table)), world);
}

std::shared_ptr<const Environment> make_preset(const std::string& name, const Settings& settings, const std::string& data_dir) {
  const DataPreset& preset = *find_preset(name);
  const DataFile file = locate(preset, data_dir);
  ReadOptions options = file.reading;
  options.label = settings.text("label");
  return make_world(name, settings, read_table(file.path, options), file.ranges);
}

}  // namespace

std::vector<EnvironmentEntry> data_entries() {
  std::vector<EnvironmentEntry> entries;
  for (const auto& preset : data_presets()) entries.push_back({{preset.name, preset.summary, data_params()}, make_preset});
  return entries;
}

std::shared_ptr<const Environment> make_table_world(const std::string& name, Table table, const Params& given) {
  return make_world(name, resolve("environment " + name, data_params(), {}, given), std::move(table), {});
}

std::shared_ptr<const Environment> make_file_world(const std::string& path, const Params& given) {
  const Settings settings = resolve("environment " + path, data_params(), {}, given);
  return make_world(path, settings, read_table(path, {.label = settings.text("label")}), {});
}

}  // namespace neuralts
