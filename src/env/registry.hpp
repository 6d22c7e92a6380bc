// How a family of worlds makes itself known: one file with entries, one line in factory.cpp.
#pragma once

#include <memory>

#include "base/param_table.hpp"
#include "neuralts/environment.hpp"

namespace neuralts {

struct EnvironmentEntry {
  EnvironmentHelp help;
  std::shared_ptr<const Environment> (*make)(const std::string& name, const Settings& settings);
};

std::vector<EnvironmentEntry> sphere_entries();  // quadratic, gram, cosine

}  // namespace neuralts
