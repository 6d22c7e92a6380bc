// An evaluation told: evaluation.html (one file, no script, opens offline), evaluation.json, estimates.csv.
#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "neuralts/lab.hpp"
#include "neuralts/version.hpp"
#include "report/evaluation_charts.hpp"
#include "report/page.hpp"
#include "report/report_tables.hpp"
#include "report/short_number.hpp"

namespace neuralts {

namespace {

using nlohmann::json;

json finite_or_null(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json estimate_json(const ValueEstimate& e) {
  return {{"policy", e.policy},         {"estimator", e.estimator},
          {"value", e.value},           {"low", finite_or_null(e.low)},
          {"high", finite_or_null(e.high)}, {"interval", e.interval},
          {"confidence", e.confidence}, {"n", e.n},
          {"ess", e.ess},               {"max_weight", e.max_weight},
          {"mean_weight", e.mean_weight}, {"unsupported", e.unsupported}};
}

json policy_json(const PolicyValue& policy) {
  const Diagnostics& d = policy.diagnostics;
  json out = {{"policy", policy.policy}, {"estimates", json::array()}, {"doubts", policy.doubts}, {"course", json::array()},
              {"diagnostics",
               {{"n", d.n}, {"open", d.open}, {"ess", d.ess}, {"max_weight", d.max_weight}, {"mean_weight", d.mean_weight},
                {"mean_weight_p", d.mean_weight_p}, {"unsupported", d.unsupported}, {"unsupported_events", d.unsupported_events},
                {"calibration_p", d.calibration_p}, {"weights", json::array()}, {"calibration", json::array()}}}};
  for (const auto& e : policy.estimates) out["estimates"].push_back(estimate_json(e));
  for (const auto& at : policy.course)
    out["course"].push_back(
        {{"events", at.events}, {"time", at.time}, {"value", at.value}, {"low", at.low}, {"high", at.high}});
  for (const auto& bin : d.weights)
    if (bin.events > 0)
      out["diagnostics"]["weights"].push_back(
          {{"low", bin.low}, {"high", finite_or_null(bin.high)}, {"events", bin.events}, {"share", bin.share}});
  for (const auto& bin : d.calibration)
    out["diagnostics"]["calibration"].push_back({{"low", bin.low}, {"high", bin.high}, {"actions", bin.actions},
                                                 {"probability", bin.probability}, {"frequency", bin.frequency}, {"z", bin.z}});
  return out;
}

// Drawn for a desk and for a phone, where text that shrinks with the chart could not be read.
std::string figure(const std::function<std::string(double width)>& chart) {
  const std::string wide = chart(760), narrow = chart(340);
  if (wide.empty()) return "";
  return "<figure class=\"card\" style=\"margin:12px 0\"><div class=\"on-desk\">" + wide + "</div><div class=\"on-phone\">" + narrow +
         "</div></figure>\n";
}

std::string warnings(const Evaluation& evaluation) {
  std::string html;
  for (const auto& note : evaluation.notes) html += "<p class=\"warning\">" + escape_html(note) + "</p>\n";
  for (const auto& policy : evaluation.policies)
    for (const auto& doubt : policy.doubts)
      html += fmt::format("<p class=\"warning\"><b>{}</b>: {}</p>\n", escape_html(policy.policy),
                          escape_html(doubt));
  return html;
}

std::string body(const Evaluation& evaluation, const std::string& title, const std::string& command) {
  std::string html = fmt::format(
      "<header><h1>{}</h1><p class=\"lead\">{} decisions with a reward, {} still open</p></header>\n",
      escape_html(title), evaluation.events, evaluation.open);
  html += warnings(evaluation);
  html += "<h2 id=\"values\">What each policy would have earned</h2>\n" + figure([&](double width) { return value_chart(evaluation, width); }) +
          to_html(estimates_table(evaluation));
  if (const auto chart = figure([&](double width) { return course_chart(evaluation, width); }); !chart.empty())
    html +=
        "<h2 id=\"course\">Over time</h2>\n<p class=\"note\">Bands are confidence sequences (empirical "
        "Bernstein), which hold at all times "
        "at once; of policies that learn along the log they are Student's, each for its time alone.</p>\n" +
        chart;
  html += "<h2 id=\"weights\">Is the log any good for these policies?</h2>\n<div class=\"charts\">\n";
  for (const auto& policy : evaluation.policies)
    html += figure([&](double width) { return weights_chart(policy, width); });
  if (!evaluation.policies.empty())
    html += figure([&](double width) { return calibration_chart(evaluation.policies.front().diagnostics, width); });
  html += "</div>\n<h2 id=\"origin\">How this was made</h2>\n<dl>";
  for (const auto& log : evaluation.logs) html += "<dt>log</dt><dd>" + escape_html(log) + "</dd>";
  html += fmt::format("<dt>rewards</dt><dd>{} to {}</dd><dt>version</dt><dd>neuralts {}</dd></dl>\n",
                      format_number(evaluation.lowest_reward), format_number(evaluation.highest_reward),
                      version());
  return command.empty() ? html : html + "<pre>" + escape_html(command) + "</pre>\n";
}

}  // namespace

std::string to_json(const ValueEstimate& estimate) { return estimate_json(estimate).dump(); }

std::string to_json(const Evaluation& evaluation) {
  json out = {
      {"neuralts", version()},         {"logs", evaluation.logs},
      {"events", evaluation.events},   {"open", evaluation.open},
      {"refused", evaluation.refused}, {"rewards", {evaluation.lowest_reward, evaluation.highest_reward}},
      {"notes", evaluation.notes},     {"policies", json::array()}};
  for (const auto& policy : evaluation.policies) out["policies"].push_back(policy_json(policy));
  return out.dump(1, ' ', false, json::error_handler_t::replace);
}

std::string to_json(const Tuning& tuning) {
  json out = {{"settings", json::array()}, {"notes", tuning.notes}};
  for (std::size_t i = 0; i < tuning.settings.size(); ++i) {
    const TunedSetting& s = tuning.settings[i];
    json line = estimate_json(s.value);
    line.update({{"current", s.current},
                 {"best", i == tuning.best},
                 {"lead", s.lead},
                 {"lead_low", finite_or_null(s.lead_low)},
                 {"lead_high", finite_or_null(s.lead_high)},
                 {"doubts", s.doubts}});
    out["settings"].push_back(line);
  }
  return out.dump();
}

ReportTable estimates_table(const Evaluation& evaluation) {
  ReportTable table{.id = "estimates",
                    .title = "Estimates",
                    .columns = {"policy", "estimator", "value", "low", "high", "interval", "confidence", "n",
                                "ess", "max_weight", "mean_weight", "unsupported"}};
  for (const auto& policy : evaluation.policies)
    for (const auto& e : policy.estimates)
      table.rows.push_back({{e.policy}, {e.estimator}, {short_number(e.value)}, {short_number(e.low)}, {short_number(e.high)}, {e.interval},
                            {format_number(e.confidence)}, {std::to_string(e.n)}, {fmt::format("{:.0f}", e.ess)},
                            {fmt::format("{:.4g}", e.max_weight)}, {short_number(e.mean_weight)},
                            {short_number(e.unsupported)}});
  return table;
}

void check_evaluation_folder(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw Error(ErrorCode::io, folder, "cannot make the folder", failed.message());
  for (const char* name : {"/estimates.csv", "/evaluation.json", "/evaluation.html"}) const FileWriter unwritten(folder + name);
}

std::string write_evaluation(const Evaluation& evaluation, const std::string& folder,
                             const std::string& title, const std::string& command) {
  check_evaluation_folder(folder);
  const std::string shown = title.empty() ? "What other policies would have earned" : title;
  const std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"neuralts {}\">\n<link "
      "rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      version(), escape_html(shown), page::style, body(evaluation, shown, command));
  write_file(folder + "/estimates.csv", to_csv(estimates_table(evaluation)));
  write_file(folder + "/evaluation.json", to_json(evaluation));
  write_file(folder + "/evaluation.html", html);
  return folder + "/evaluation.html";
}

}  // namespace neuralts
