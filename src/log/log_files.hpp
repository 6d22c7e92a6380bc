// Names of a log's files: FILE.jsonl is being written, FILE.000001.jsonl[.gz] and on were rotated away from it.
#pragma once

#include "neuralts/log.hpp"

namespace neuralts {

std::string rotated_name(const std::string& path, std::size_t number);
/// The largest number in use; 0: none.
std::size_t last_rotated(const std::string& path);

}  // namespace neuralts
