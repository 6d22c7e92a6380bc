// How a family of worlds makes itself known: one file with entries, one line in factory.cpp.
#pragma once

#include <memory>

#include "neuralts/settings.hpp"
#include "neuralts/environment.hpp"

namespace neuralts {

struct Table;

struct EnvironmentEntry {
  EnvironmentHelp help;
  std::shared_ptr<const Environment> (*make)(const std::string& name, const Settings& settings,
                                             const std::string& data_dir);
};

std::vector<EnvironmentEntry> sphere_entries();  // quadratic, gram, cosine, linear
std::vector<EnvironmentEntry> wheel_entries();   // wheel
std::vector<EnvironmentEntry> moving_entries();  // drifting, sleeping
std::vector<EnvironmentEntry> class_entries();   // nominal, clusters
std::vector<EnvironmentEntry> action_entries();  // actions, clicks, plain, segments, codes, risky
std::vector<EnvironmentEntry> dose_entries();    // doses
std::vector<EnvironmentEntry> item_entries();    // items
std::vector<EnvironmentEntry> replay_entries();  // log
std::vector<EnvironmentEntry> data_entries();    // the six data sets

/// Any data file as a world, with the parameters of the six.
std::shared_ptr<const Environment> make_file_world(const std::string& path, const Params& given);
/// The same for a table that is there already.
std::shared_ptr<const Environment> make_table_world(const std::string& name, Table table, const Params& given,
                                                    const std::string& identity);

}  // namespace neuralts
