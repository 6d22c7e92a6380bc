#include "log/log_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace neuralts {

namespace fs = std::filesystem;

namespace {

// "FILE.000012.jsonl" or with ".gz" -> 12; nothing for other names.
std::size_t number_of(const std::string& name, const std::string& stem, const std::string& ending) {
  std::string_view rest = name;
  if (rest.ends_with(".gz")) rest.remove_suffix(3);
  if (!rest.starts_with(stem + ".") || !rest.ends_with(ending) ||
      rest.size() <= stem.size() + 1 + ending.size())
    return 0;
  rest = rest.substr(stem.size() + 1, rest.size() - stem.size() - 1 - ending.size());
  if (rest.size() < 6 ||
      !std::all_of(rest.begin(), rest.end(), [](char c) { return c >= '0' && c <= '9'; }) || rest.size() > 12)
    return 0;
  return std::stoull(std::string(rest));
}

// A packed file wins over the plain one of the same number, which its writer had no time to remove.
std::map<std::size_t, std::string> rotated(const std::string& path) {
  const fs::path whole(path);
  const std::string stem = whole.stem().string(), ending = whole.extension().string();
  const fs::path folder = whole.has_parent_path() ? whole.parent_path() : fs::path(".");
  std::map<std::size_t, std::string> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    const std::size_t number = number_of(name, stem, ending);
    if (number == 0) continue;
    auto& file = found[number];
    if (file.empty() || name.ends_with(".gz")) file = whole.has_parent_path() ? entry.path().string() : name;
  }
  return found;
}

}  // namespace

std::string rotated_name(const std::string& path, std::size_t number) {
  const fs::path whole(path);
  return (whole.parent_path() /
          fmt::format("{}.{:06}{}", whole.stem().string(), number, whole.extension().string()))
      .string();
}

std::size_t last_rotated(const std::string& path) {
  const auto files = rotated(path);
  return files.empty() ? 0 : files.rbegin()->first;
}

std::vector<std::string> log_files(const std::string& path) {
  std::vector<std::string> all;
  for (const auto& [number, file] : rotated(path)) all.push_back(file);
  std::error_code ignored;
  if (fs::exists(path, ignored)) all.push_back(path);
  return all;
}

}  // namespace neuralts
