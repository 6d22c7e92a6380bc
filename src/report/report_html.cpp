// The page: headings, tables and places for the charts, which its script draws from the data put beside them.
#include <fmt/format.h>

#include <algorithm>

#include "report/page.hpp"
#include "lab/published.hpp"
#include "report/report_data.hpp"
#include "report/report_page.hpp"
#include "neuralts/version.hpp"

namespace neuralts {

namespace {

using nlohmann::json;

std::string plural(std::size_t n, const std::string& word) {
  if (n == 1) return "1 " + word;
  return fmt::format("{} {}", n, word.ends_with('y') ? word.substr(0, word.size() - 1) + "ies" : word + "s");
}

std::string heading(const std::string& id, const std::string& title, const std::string& note) {
  return fmt::format("<h2 id=\"{}\">{}</h2>\n<p class=\"note\">{}</p>\n", id, escape_html(title),
                     escape_html(note));
}

std::vector<const Config*> ranked(const Summary& summary, const std::string& world) {
  std::vector<const Config*> configs;
  for (const auto& series : summary.series())
    if (const Config* config = summary.best(world, series, summary.base_delay())) configs.push_back(config);
  std::stable_sort(configs.begin(), configs.end(),
                   [](const Config* a, const Config* b) { return a->loss.mean < b->loss.mean; });
  return configs;
}

std::string measure_text(const Config& config) {
  const bool regret = config.regret_known();
  const math::Sample& sample = regret ? config.regret : config.mean_reward;
  const char* word = regret ? "regret" : "mean reward";
  if (sample.n < 2)
    return regret ? fmt::format("{:.1f} {}", sample.mean, word) : fmt::format("{:.4f} {}", sample.mean, word);
  return regret ? fmt::format("{:.1f} ± {:.1f} {}", sample.mean, sample.sd, word)
                : fmt::format("{:.4f} ± {:.4f} {}", sample.mean, sample.sd, word);
}

/// Who cannot be told from the first by the tests, by name.
std::vector<std::string> not_distinguishable(const std::vector<const Config*>& configs) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < configs.size(); ++i)
    if (math::welch_test(configs[0]->loss, configs[i]->loss).p >= test_level) names.push_back(configs[i]->series);
  return names;
}

bool one_seed(const Config* config) { return config->runs.size() < 2; }

std::string margin_text(const std::vector<const Config*>& configs) {
  if (configs.size() < 2) return "";
  if (one_seed(configs[0]) || std::all_of(configs.begin() + 1, configs.end(), one_seed)) return "one seed: no test";
  if (const auto others = not_distinguishable(configs); !others.empty())
    return others.size() > 3 ? fmt::format("not distinguishable from {} others", others.size())
                             : fmt::format("not distinguishable from {}", fmt::join(others, ", "));
  const double margin = configs[1]->loss.mean - configs[0]->loss.mean;
  return configs[0]->regret_known() ? fmt::format("{:.1f} less than {}", margin, configs[1]->series)
                                    : fmt::format("{:.4f} more than {}", margin, configs[1]->series);
}

std::string published_text(const Config& config) {
  const Published* paper = nullptr;
  for (const auto& policy : published_policies())
    if (const auto* entry = published(policy, config.spec.env);
        entry != nullptr && (paper == nullptr || entry->mean < paper->mean))
      paper = entry;
  if (paper == nullptr || config.rounds() != published_rounds(config.spec.env)) return "";
  return fmt::format("published best {:.1f}", paper->mean);
}

/// The policy in front in a world, with its margin to the next where the tests see one. Nobody else is crowned.
std::string tile(const Summary& summary, const std::string& world) {
  const auto configs = ranked(summary, world);
  if (configs.empty()) return "";
  const bool clear = configs.size() > 1 && not_distinguishable(configs).empty();
  const auto small = [](const std::string& text) {
    return text.empty() ? "" : "<small>" + escape_html(text) + "</small>";
  };
  return fmt::format("<div class=\"tile{}\">{}<b>{}</b><span>{}</span>{}{}{}</div>\n", clear ? " clear" : "",
                     small(world), escape_html(configs[0]->series), escape_html(measure_text(*configs[0])),
                     small(margin_text(configs)), small(plural(configs[0]->rounds(), "round")),
                     small(published_text(*configs[0])));
}

std::string file_name(const std::string& text) {
  std::string name = text;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '-');
  return name;
}

/// Cards for the charts of one kind (and section, for those that stand in one); empty when there are none.
std::string cards(const json& charts, const std::string& kind, const std::string& section = "") {
  std::string html;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    if (charts[i]["kind"] != kind || charts[i].value("section", "") != section) continue;
    const std::string title = charts[i]["title"];
    html += fmt::format(
        "<figure class=\"card\" style=\"margin:0\" data-chart=\"{}\" data-name=\"{}\"><header><h3>{}</h3></header><div "
        "class=\"plot\"></div></figure>\n",
        i, file_name((section.empty() ? kind : section) + "-" + title), escape_html(title));
  }
  return html.empty() ? "" : "<div class=\"charts\">\n" + html + "</div>\n";
}

const char* kind_of(const std::string& table) {
  if (table == "delay") return "delays";
  if (table == "time") return "times";
  return "";
}

const char* curves_title(const Report& report) {
  return report.main.front().id == "regret" ? "Regret over time" : "Mean reward over time";
}

const char* bands_text(const Summary& summary) {
  const auto& configs = summary.configs();
  return std::all_of(configs.begin(), configs.end(), [](const Config& config) { return one_seed(&config); })
             ? "One seed: no interval."
             : "Mean over seeds; the band is the 90 % confidence interval of the mean.";
}

std::string main_part(const Report& report, const json& charts) {
  std::string html;
  for (const auto& table : report.main) {
    html += heading(table.id, table.title, table.note) + cards(charts, kind_of(table.id)) + to_html(table);
    if (&table == &report.main.front())
      html += heading("curves", curves_title(report), bands_text(report.summary)) + cards(charts, "curves");
  }
  return html;
}

std::string contents_of(const ReportSection& section) {
  std::vector<std::string> parts;
  if (!section.tables.empty()) parts.push_back(plural(section.tables.size(), "table"));
  if (!section.charts.empty()) parts.push_back(plural(section.charts.size(), "chart"));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string section_part(const ReportSection& section, const json& charts) {
  std::string html = fmt::format(
      "<h2 id=\"{0}\">{1}</h2>\n<details class=\"section\"><summary>{1} <span>{2}</span></summary>\n<div class=\"inside\">\n",
      escape_html(section.id), escape_html(section.title), contents_of(section));
  for (const auto& paragraph : section.paragraphs) html += "<p>" + escape_html(paragraph) + "</p>\n";
  for (const auto& table : section.tables)
    html += fmt::format("<h3>{}</h3>\n<p class=\"note\">{}</p>\n", escape_html(table.title),
                        escape_html(table.note)) +
            to_html(table);
  return html + cards(charts, "lines", section.id) + "</div>\n</details>\n";
}

std::string detail_part(const Report& report) {
  std::string html = heading("details", "Details",
                             "The tables behind the figures; each is also a CSV file beside this page.");
  for (const auto& table : report.detail)
    html += fmt::format(
        "<details{}><summary>{} <span>{}</span></summary><p class=\"note\">{}</p>{}</details>\n",
        table.id == "failed" ? " open" : "", escape_html(table.title), plural(table.rows.size(), "row"),
        escape_html(table.note), to_html(table));
  return html;
}

std::string provenance_part(const Report& report) {
  std::string html = "<h2 id=\"origin\">How this was made</h2>\n<dl>";
  const auto fact = [&](const char* name, const std::string& value) {
    html += fmt::format("<dt>{}</dt><dd>{}</dd>", name, escape_html(value));
  };
  fact("seeds", report.seeds);
  fact("version", fmt::format("neuralts {}", fmt::join(report.versions, ", ")));
  fact("machine", fmt::format("{}", fmt::join(report.machines, "; ")));
  html += "</dl>\n";
  if (!report.commands.empty())
    html += "<pre>" + escape_html(fmt::format("{}", fmt::join(report.commands, "\n"))) + "</pre>\n";
  return html;
}

std::string head_part(const Report& report) {
  const Summary& summary = report.summary;
  std::string html = fmt::format("<header><h1>{}</h1><p class=\"lead\">{}, {}, {}, seeds {}</p>",
                                 escape_html(report.title), plural(summary.series().size(), "policy"),
                                 plural(summary.worlds().size(), "world"), plural(report.runs, "run"),
                                 report.seeds);
  html += "<nav>";
  for (const auto& table : report.main) {
    html += fmt::format("<a href=\"#{}\">{}</a>", table.id, escape_html(table.title));
    if (&table == &report.main.front()) html += fmt::format("<a href=\"#curves\">{}</a>", curves_title(report));
  }
  for (const auto& section : report.sections)
    html += fmt::format("<a href=\"#{}\">{}</a>", escape_html(section.id), escape_html(section.title));
  html += "<a href=\"#details\">Details</a><a href=\"#origin\">How this was made</a></nav>";
  if (!summary.failed().empty())
    html += fmt::format("<p class=\"warning\">{} failed; see Details.</p>", plural(summary.failed().size(), "run"));
  html += "</header>\n<div class=\"tiles\">\n";
  for (const auto& world : summary.worlds()) html += tile(summary, world);
  return html + "</div>\n";
}

std::string fill(std::string_view page, const std::vector<std::pair<std::string, std::string>>& places) {
  std::string text;
  for (std::size_t at = 0;;) {
    const std::size_t open = page.find("{{", at);
    text += page.substr(at, open - at);
    if (open == std::string_view::npos) return text;
    const std::size_t close = page.find("}}", open);
    const std::string_view name = page.substr(open + 2, close - open - 2);
    text += std::find_if(places.begin(), places.end(), [&](const auto& place) {
              return place.first == name;
            })->second;
    at = close + 2;
  }
}

/// JSON inside a script element: no "<", which could end it or begin a comment.
std::string script_json(const json& data) {
  std::string text = data.dump(-1, ' ', true, json::error_handler_t::replace);
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;) text.replace(at, 1, "\\u003c");
  return text;
}

std::string whole_page(const std::string& title, const std::string& body, const json& data) {
  return fill(page::page, {{"version", version()},
                           {"title", escape_html(title)},
                           {"style", std::string(page::style)},
                           {"body", body},
                           {"data", script_json(data)},
                           {"vega", std::string(page::vega)},
                           {"modules", std::string(page::modules)},
                           {"charts", std::string(page::charts)}});
}

}  // namespace

std::string report_html(const Report& report) {
  json data = report_data(report.summary);
  for (const auto& section : report.sections)
    for (const auto& chart : section.charts) data["charts"].push_back(chart_data(chart, section.id));
  std::string body = head_part(report) + main_part(report, data["charts"]);
  for (const auto& section : report.sections) body += section_part(section, data["charts"]);
  body += detail_part(report) + provenance_part(report);
  return whole_page(report.title, body, data);
}

std::string charts_html(const std::string& title, const std::string& note, const std::vector<ReportChart>& charts) {
  json data = {{"series", json::array()}, {"charts", json::array()}};
  for (const auto& chart : charts) data["charts"].push_back(chart_data(chart, ""));
  const std::string head =
      fmt::format("<header><h1>{}</h1><p class=\"lead\">{}</p></header>\n", escape_html(title), escape_html(note));
  return whole_page(title, head + cards(data["charts"], "lines"), data);
}

std::string table_page(const std::string& title, const std::vector<ReportTable>& tables) {
  std::string html = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>" + escape_html(title) + "</title><style>\n";
  html += std::string(page::style) + "</style></head><body>\n<header><h1>" + escape_html(title) +
          "</h1></header>\n";
  for (const auto& table : tables) html += heading(table.id, table.title, table.note) + to_html(table);
  return html + "</body></html>\n";
}

}  // namespace neuralts
