// Whole files, read and written so that nobody ever sees half of one.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace neuralts {

/// Throws Error(not_found | io).
std::vector<char> read_file(const std::string& path);

/// Writes to a temporary name beside `path`, flushes, renames. On failure `path` is as it was. Throws Error(io).
void write_file(const std::string& path, std::span<const char> bytes);

}  // namespace neuralts
