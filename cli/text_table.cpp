#include "text_table.hpp"

#include <algorithm>

namespace neuralts::cli {

namespace {

/// Letters, not bytes: "±" is two bytes and one column.
std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

using Lines = std::vector<std::vector<std::string>>;

Lines cells_of(const ReportTable& table) {
  Lines lines{table.columns};
  for (const auto& row : table.rows) {
    auto& line = lines.emplace_back();
    for (const auto& cell : row) line.push_back(cell.note.empty() ? cell.text : cell.text + " (" + cell.note + ")");
  }
  return lines;
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - columns_of(text) + 2, ' ');
}

/// The first column and those from `from` up to `to`.
std::string panel(const Lines& lines, const std::vector<std::size_t>& widths, std::size_t from, std::size_t to) {
  std::string text;
  for (const auto& line : lines) {
    std::string one = padded(line[0], widths[0]);
    for (std::size_t i = from; i < to; ++i) one += padded(line[i], widths[i]);
    one.erase(one.find_last_not_of(' ') + 1);
    text += one + "\n";
  }
  return text;
}

}  // namespace

std::string align(const ReportTable& table, std::size_t width) {
  const Lines lines = cells_of(table);
  std::vector<std::size_t> widths(table.columns.size());
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], columns_of(line[i]));
  std::string text;
  for (std::size_t from = 1; from < widths.size() || from == 1;) {
    std::size_t to = from, used = widths.empty() ? 0 : widths[0];
    while (to < widths.size() && (to == from || used + 2 + widths[to] <= width)) used += 2 + widths[to++];
    text += (text.empty() ? "" : "\n") + panel(lines, widths, from, to);
    from = std::max(to, from + 1);
  }
  return text;
}

}  // namespace neuralts::cli
