// A table as CSV, Markdown and HTML.
#include <algorithm>

#include "report/report_tables.hpp"

namespace neuralts {

namespace {

std::string quote_csv(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string escape_markdown(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c == '\n' ? ' ' : c);
  return escaped;
}

std::vector<bool> noted_columns(const ReportTable& table) {
  std::vector<bool> noted(table.columns.size());
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < row.size(); ++i) noted[i] = noted[i] || !row[i].note.empty();
  return noted;
}

bool reads_as_number(const std::string& text) {
  return !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '-');
}

std::string html_cell(const ReportCell& cell) {
  std::string html = reads_as_number(cell.text) ? "<td class=\"n\">" : "<td>";
  html += cell.strong ? "<strong>" + escape_html(cell.text) + "</strong>" : escape_html(cell.text);
  if (!cell.note.empty()) html += "<small>" + escape_html(cell.note) + "</small>";
  return html + "</td>";
}

}  // namespace

std::string to_csv(const ReportTable& table) {
  const auto noted = noted_columns(table);
  const auto line = [&](auto text, auto note) {
    std::string out;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (i > 0) out += ',';
      out += quote_csv(text(i));
      if (noted[i]) out.append(",").append(quote_csv(note(i)));
    }
    return out.append("\n");
  };
  std::string csv = line([&](std::size_t i) { return table.columns[i]; },
                         [&](std::size_t i) { return table.columns[i] + " " + table.notes_called; });
  for (const auto& row : table.rows)
    csv += line([&](std::size_t i) { return row[i].text; }, [&](std::size_t i) { return row[i].note; });
  return csv;
}

std::string to_markdown(const ReportTable& table) {
  std::string text = "|";
  for (const auto& column : table.columns) text.append(" ").append(escape_markdown(column)).append(" |");
  text += "\n|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) text += " --- |";
  for (const auto& row : table.rows) {
    text += "\n|";
    for (const auto& cell : row) {
      const std::string strong = cell.strong ? "**" : "";
      text += " " + strong + escape_markdown(cell.text) + strong +
              (cell.note.empty() ? "" : " (" + table.notes_called + " " + escape_markdown(cell.note) + ")") + " |";
    }
  }
  return text + "\n";
}

std::string to_html(const ReportTable& table) {
  std::string html = "<div class=\"scroll\"><table id=\"table-" + table.id + "\"><thead><tr>";
  for (const auto& column : table.columns) html += "<th>" + escape_html(column) + "</th>";
  html += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (const auto& cell : row) html += html_cell(cell);
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string escape_html(std::string_view text) {
  std::string escaped;
  for (const char c : text) switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  return escaped;
}

}  // namespace neuralts
