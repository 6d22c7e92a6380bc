// Golden files: numbers of an independent implementation.
#pragma once

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace neuralts {

/// The file of that name in $NEURALTS_GOLDEN, or in the source tree's folder.
inline nlohmann::json golden_file(const std::string& name) {
  const char* folder = std::getenv("NEURALTS_GOLDEN");
  const std::string path = std::string(folder != nullptr ? folder : NEURALTS_GOLDEN_DEFAULT) + "/" + name;
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path);
  return nlohmann::json::parse(file);
}

}  // namespace neuralts
