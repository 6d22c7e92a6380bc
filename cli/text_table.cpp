#include "text_table.hpp"

#include <algorithm>

namespace neuralts::cli {

namespace {

/// Letters, not bytes: "±" is two bytes and one column.
std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string align(const ReportTable& table) {
  std::vector<std::vector<std::string>> lines{table.columns};
  for (const auto& row : table.rows) {
    auto& line = lines.emplace_back();
    for (const auto& cell : row) line.push_back(cell.note.empty() ? cell.text : cell.text + " (" + cell.note + ")");
  }
  std::vector<std::size_t> widths(table.columns.size());
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], columns_of(line[i]));
  std::string text;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i)
      text += line[i] + (i + 1 < line.size() ? std::string(widths[i] - columns_of(line[i]) + 2, ' ') : "\n");
  }
  return text;
}

}  // namespace neuralts::cli
