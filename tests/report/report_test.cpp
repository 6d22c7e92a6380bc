#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/text.hpp"
#include "lab/published.hpp"
#include "report/report_data.hpp"
#include "report/report_tables.hpp"
#include "base/temp_folder.hpp"

namespace neuralts {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Record run_of(const std::string& env, const std::string& policy, const std::string& nu, std::uint64_t seed,
              double regret, const std::string& delay = "0") {
  Record record;
  record.spec.env = env;
  record.spec.policy.name = policy;
  if (!nu.empty()) record.spec.policy.params["nu"] = nu;
  record.spec.seed = seed;
  record.spec.delay = parse_delay(delay);
  record.result.rounds = record.result.offered = 4;
  record.result.regret = regret;
  record.result.curve_rounds = {2, 4};
  record.result.curve_regret = {regret / 2, regret};
  record.result.curve_reward = {1, 2};
  record.result.select_seconds = 1;
  record.result.learn_seconds = 2;
  return record;
}

std::vector<Record> two_policies() {
  std::vector<Record> records;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto shift = static_cast<double>(seed);
    records.push_back(run_of("mushroom", "neural-ts", "1", seed, 100 + shift));
    records.push_back(run_of("mushroom", "neural-ts", "0.1", seed, 50 + shift));
    records.push_back(run_of("mushroom", "linear-ucb", "", seed, 500 + 2 * shift));
    records.push_back(run_of("mushroom", "linear-ucb", "", seed, 800 + shift, "10"));
  }
  return records;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// What the page's script draws from.
json data_of(const std::string& html) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = html.find(open) + open.size();
  return json::parse(html.substr(from, html.find("</script>", from) - from));
}

TEST(Summary, TheBestConfigurationSpeaksForItsPolicy) {
  const auto records = two_policies();
  const Summary summary(records);
  EXPECT_THAT(summary.worlds(), ElementsAre("mushroom"));
  EXPECT_THAT(summary.series(), ElementsAre("linear-ucb", "neural-ts")) << "as in the paper's table";
  EXPECT_THAT(summary.delays(), ElementsAre("0", "10"));
  std::size_t tried = 0;
  const Config* best = summary.best("mushroom", "neural-ts", "0", &tried);
  ASSERT_NE(best, nullptr);
  EXPECT_EQ(tried, 2U);
  EXPECT_EQ(best->spec.policy.params.at("nu"), "0.1");
  EXPECT_DOUBLE_EQ(best->regret.mean, 52);
  EXPECT_EQ(summary.best("mushroom", "neural-ts", "10"), nullptr);
}

TEST(Summary, MoreSeedsOutrankALuckyOne) {
  auto records = two_policies();
  records.push_back(run_of("mushroom", "neural-ts", "0.01", 1, 1));
  const Summary summary(records);
  EXPECT_EQ(summary.best("mushroom", "neural-ts", "0")->spec.policy.params.at("nu"), "0.1");
}

TEST(Summary, HorizonsAndPresetsThatDifferAreNamed) {
  auto records = two_policies();
  records.push_back(run_of("mushroom", "random", "", 1, 1));
  records.back().spec.rounds = 7;
  records.push_back(run_of("mushroom", "linear-ucb", "", 1, 1));
  records.back().spec.policy.preset = "tuned";
  const Summary summary(records);
  EXPECT_THAT(summary.worlds(), ElementsAre("mushroom", "mushroom, 7 rounds"));
  EXPECT_THAT(summary.series(), testing::Contains("linear-ucb, tuned"));
  EXPECT_THAT(summary.series(), testing::Contains("linear-ucb, default"));
}

TEST(Summary, StandingCountsSignificantDifferences) {
  const auto records = two_policies();
  const Summary summary(records);
  const Config *a = summary.best("mushroom", "neural-ts", "0"), *b = summary.best("mushroom", "linear-ucb", "0");
  EXPECT_EQ(standing(*a, {a, b}).wins, 1);
  EXPECT_EQ(standing(*b, {a, b}).losses, 1);
  EXPECT_EQ(shared_seeds(*a, *b).a.size(), 3U);
}

TEST(Curves, MeanBandAndLastPoint) {
  const auto records = two_policies();
  const Summary summary(records);
  const Curve curve = mean_curve(*summary.best("mushroom", "neural-ts", "0"), 512);
  EXPECT_THAT(curve.rounds, ElementsAre(2, 4));
  EXPECT_THAT(curve.mean, ElementsAre(26, 52));
  EXPECT_LT(curve.low[1], 52);
  EXPECT_NEAR(curve.high[1] - 52, 52 - curve.low[1], 0.01);
  EXPECT_THAT(mean_curve(*summary.best("mushroom", "neural-ts", "0"), 1).rounds, ElementsAre(4));
}

TEST(Tables, PublishedFiguresStandBesideRunsOfAsManyRoundsOnly) {
  const auto tables = main_tables(Summary(two_policies()));
  EXPECT_EQ(tables.front().rows[1][1].note, "");
  EXPECT_THAT(tables.front().note, HasSubstr("beside runs of as many only"));
}

TEST(Tables, AReplayIsAboutReward) {
  std::vector<Record> records = two_policies();
  for (auto& record : records)
    record.result.regret_known = false, record.result.regret = 0, record.result.offered = 9;
  for (auto& record : records) record.result.reward = record.spec.policy.name == "neural-ts" ? 3 : 1;
  const Summary summary(records);
  const auto tables = main_tables(summary);
  ASSERT_EQ(tables.front().id, "replay");
  EXPECT_EQ(tables.front().rows[1][1].text, "0.7500 ± 0.0000");
  EXPECT_EQ(tables.front().rows[1][1].note, "4 of 9 rounds");
  EXPECT_TRUE(tables.front().rows[1][1].strong);
  EXPECT_FALSE(tables.front().rows[0][1].strong);
  for (const auto& table : tables) EXPECT_NE(table.id, "regret");
  EXPECT_EQ(standing(*summary.best("mushroom", "neural-ts", "0"), {summary.best("mushroom", "linear-ucb", "0")}).wins, 1);
}

TEST(Tables, WhatStandsBesideAReplaysRewardIsNoPublishedFigure) {
  Record record = run_of("log:x", "neural-ts", "", 1, 0);
  record.result.regret_known = false;
  const std::vector<Record> records{record};
  const auto table = main_tables(Summary(records)).front();
  ASSERT_EQ(table.id, "replay");
  EXPECT_THAT(to_csv(table), testing::AllOf(HasSubstr("policy,log:x,log:x counted\n"), HasSubstr(",4 of 4 rounds\n")));
  EXPECT_THAT(to_markdown(table), HasSubstr(" (counted 4 of 4 rounds) |"));
  for (const auto& text : {to_csv(table), to_markdown(table), table.note}) EXPECT_THAT(text, Not(HasSubstr("published")));
}

TEST(Report, TheChartOfDelaysShowsWhatItsTableTells) {
  const TempFolder place;
  ResultsFolder folder(place.path());
  for (const char* delay : {"exponential:5", "100", "uniform:0..200", "0", "20", "20,lost=0.1"})
    folder.append(run_of("quadratic", "neural-ts", "", 1, 100, delay));
  folder.append(run_of("quadratic", "random", "", 1, 200));
  for (const char* delay : {"0", "7"}) folder.append(run_of("cosine", "neural-ts", "", 1, 100, delay));
  const json data = data_of(text_of(write_report(folder, {.theory = false})));
  std::vector<json> charts;
  for (const auto& chart : data["charts"])
    if (chart["kind"] == "delays") charts.push_back(chart);
  ASSERT_EQ(charts.size(), 2U);
  EXPECT_EQ(charts[0]["delays"], json({"0", "7"})) << "of this world alone";
  EXPECT_EQ(charts[1]["delays"], json({"0", "20", "20,lost=0.1", "100", "uniform:0..200", "exponential:5"}));
  EXPECT_EQ(charts[1]["points"].size(), 6U);
  for (const auto& point : charts[1]["points"]) EXPECT_EQ(point["series"], "neural-ts") << "random was run with one delay";
  EXPECT_THAT(text_of(folder.file("delay.csv")), HasSubstr("world,policy,0,7,20,\"20,lost=0.1\",100,uniform:0..200,exponential:5\n"));
}

TEST(Report, OneSeedHasNoIntervalAndNoTest) {
  const TempFolder place;
  ResultsFolder folder(place.path());
  for (const char* policy : {"neural-ts", "linear-ts"})
    for (const char* delay : {"0", "10"}) folder.append(run_of("quadratic", policy, "", 1, 100, delay));
  const std::string html = text_of(write_report(folder));
  EXPECT_THAT(html, testing::AllOf(HasSubstr("one seed: no test"), HasSubstr("One seed: no interval."),
                                   Not(HasSubstr("not distinguishable from linear-ts"))));
  const json charts = data_of(html)["charts"];
  for (const auto& chart : charts)
    for (const char* list : {"series", "points"})
      for (const auto& drawn : chart.value(list, json::array())) EXPECT_FALSE(drawn.contains("low")) << drawn;
  EXPECT_THAT(text_of(folder.file("tests.csv")), HasSubstr("\nquadratic,linear-ts,neural-ts,0,-,1,-\n"));
  EXPECT_THAT(text_of(folder.file("configurations.csv")), HasSubstr(",1,4,100.00,-,-,-,-,"));
  EXPECT_THAT(text_of(folder.file("standing.csv")), HasSubstr("\nneural-ts,-\n"));
}

TEST(Tables, ThePublishedStandingStandsBesideOneAgainstAsManyRivalsOnly) {
  std::vector<Record> records;
  const auto beside = [&](const std::string& policy) {
    for (const std::uint64_t seed : {1, 2}) {
      records.push_back(run_of("mushroom", policy, "", seed, 100 + static_cast<double>(seed)));
      records.back().result.rounds = 8124;
    }
    return main_tables(Summary(records))[1].rows.front()[1].note;
  };
  std::string last;
  for (const auto& policy : published_policies()) {
    EXPECT_EQ(last, "") << "before " << policy;
    last = beside(policy);
  }
  EXPECT_EQ(last, "1/0/6") << "all eight are there";
}

TEST(Report, CrownsNobodyWhomTheTestsDoNot) {
  const TempFolder place;
  const auto tile = [&](double rival, const char* name) {
    ResultsFolder folder(place.file(name));
    for (const std::uint64_t seed : {1, 2, 3}) {
      folder.append(run_of("quadratic", "neural-ts", "", seed, 100 + 20 * static_cast<double>(seed)));
      folder.append(run_of("quadratic", "linear-ts", "", seed, rival + 20 * static_cast<double>(seed)));
    }
    const std::string html = text_of(write_report(folder));
    const std::size_t at = html.find("<div class=\"tile");
    return html.substr(at, html.find("</div>", at) - at);
  };
  EXPECT_THAT(tile(101, "near"),
              testing::AllOf(HasSubstr("<b>neural-ts</b>"), HasSubstr("not distinguishable from linear-ts"),
                             Not(HasSubstr("clear"))));
  EXPECT_THAT(tile(900, "far"), testing::AllOf(HasSubstr("tile clear"), HasSubstr("140.0 ± 20.0 regret"),
                                               HasSubstr("800.0 less than linear-ts")));
}

TEST(Report, NamesWithTagsStayTextInTheScript) {
  const TempFolder place;
  ResultsFolder folder(place.path());
  folder.append(run_of("<!--<script>.csv", "random", "", 1, 3));
  const std::string html = text_of(write_report(folder));
  EXPECT_THAT(html, HasSubstr("\\u003c!--\\u003cscript>.csv"));
  EXPECT_THAT(html, Not(HasSubstr("<!--<script>.csv")));
  EXPECT_THAT(text_of(folder.file("report.md")), Not(HasSubstr("<svg")));
}

TEST(Curves, NoBandReachesBelowZero) {
  std::vector<Record> records;
  for (const std::uint64_t seed : {1, 2}) records.push_back(run_of("e", "random", "", seed, seed == 1 ? 0.1 : 50));
  const Summary summary(records);
  const Curve curve = mean_curve(*summary.best("e", "random", "0"), 512);
  EXPECT_THAT(curve.low, testing::Each(testing::Ge(0)));
  EXPECT_EQ(curve.low[1], 0);
}

TEST(Tables, RegretStandsBesideThePublishedFigure) {
  auto records = two_policies();
  for (auto& record : records) record.result.rounds = 8124;
  const auto tables = main_tables(Summary(records));
  ASSERT_EQ(tables.front().id, "regret");
  const auto& cell = tables.front().rows[1][1];
  EXPECT_EQ(cell.text, "52.0 ± 1.0");
  EXPECT_EQ(cell.note, "115.0 ± 35.8");
  EXPECT_TRUE(cell.strong);
  EXPECT_THAT(to_csv(tables.front()), testing::AllOf(HasSubstr("policy,mushroom,mushroom published\n"),
                                                     HasSubstr("\nneural-ts,52.0 ± 1.0,115.0 ± 35.8\n")));
  EXPECT_THAT(to_markdown(tables.front()), HasSubstr("**52.0 ± 1.0** (published 115.0 ± 35.8)"));
}

TEST(Tables, TextsAreEscaped) {
  const ReportTable table{.id = "x", .title = "x", .columns = {"a|b", "c,d"}, .rows = {{{"<b> & \"q\""}, {"1,2"}}}};
  EXPECT_THAT(to_html(table), HasSubstr("&lt;b&gt; &amp; &quot;q&quot;"));
  EXPECT_THAT(to_csv(table), HasSubstr("\"c,d\"\n\"<b> & \"\"q\"\"\",\"1,2\""));
  EXPECT_THAT(to_markdown(table), HasSubstr("a\\|b"));
}

/// Wins, ties and losses of a row of the paper's table are against the seven others.
TEST(Published, EveryCellIsThere) {
  EXPECT_EQ(published_policies().size(), 8U);
  for (const auto& policy : published_policies())
    for (const auto& env : published_envs()) {
      const auto* entry = published(policy, env);
      ASSERT_NE(entry, nullptr);
      double others = 0;
      for (const auto& count : split(entry->standing, '/')) others += *parse_number(count);
      EXPECT_EQ(others, 7) << policy << " " << env;
    }
  EXPECT_EQ(published("random", "mushroom"), nullptr);
}

TEST(Report, FilesAreWrittenAndWhole) {
  const TempFolder place;
  ResultsFolder folder(place.path());
  for (const auto& record : two_policies()) folder.append(record);
  Record failed = run_of("</script><b>", "random", "", 1, 0);
  failed.error = "it <broke>";
  folder.append(failed);
  folder.add_command("neuralts run --env '<x>'");
  const ReportSection section{
      .id = "more",
      .title = "More",
      .paragraphs = {"Said elsewhere."},
      .tables = {{.id = "extra", .title = "Extra", .columns = {"k"}, .rows = {{{"v"}}}}},
      .charts = {{"Drawn <b>", "x", "y", true, false, {{"a", {0, 1, 2}, {4, 5, std::nan("")}}}}}};
  const std::string html = text_of(write_report(folder, {.title = "A <title>", .sections = {section}}));
  EXPECT_THAT(html, HasSubstr("A &lt;title&gt;"));
  EXPECT_THAT(html, HasSubstr("Said elsewhere."));
  EXPECT_THAT(html, HasSubstr("it &lt;broke&gt;"));
  EXPECT_THAT(html, HasSubstr("--env '&lt;x&gt;'"));
  EXPECT_THAT(html, Not(HasSubstr("{{")));
  EXPECT_THAT(html, HasSubstr("<h2 id=\"more\">More</h2>\n<details class=\"section\"><summary>More <span>1 table, 1 chart"));
  json chart;  // where a data set is at hand, the part on theory adds its own
  const json charts = data_of(html)["charts"];
  for (const json& one : charts)
    if (one.value("section", "") == "more") chart = one;
  EXPECT_EQ(chart["section"], "more");
  EXPECT_EQ(chart["title"], "Drawn <b>");
  EXPECT_EQ(chart["lines"], json::parse(R"([{"name": "a", "dashed": false, "x": [1.0], "y": [5.0]}])"))
      << "what an axis cannot show";
  for (const char* name : {"regret", "standing", "delay", "time", "parameters", "tests", "configurations",
                           "runs", "failed", "extra"})
    EXPECT_NE(text_of(folder.file(std::string(name) + ".csv")), "") << name;
  EXPECT_THAT(text_of(folder.file("report.md")), HasSubstr("neuralts run --env '<x>'"));
}

TEST(Report, TheoryIsSaidOfTheWorldsAtHand) {
  const TempFolder place;
  ResultsFolder folder(place.path());
  folder.append(run_of("cosine:dim=3,arms=2", "random", "", 1, 10));
  folder.append(run_of("elsewhere", "random", "", 1, 10));
  std::vector<std::string> stages;
  ReportOptions options;
  options.progress = [&](const std::string& stage) { stages.push_back(stage); };
  const std::string html = text_of(write_report(folder, options));
  EXPECT_EQ(stages.size(), 2U);
  EXPECT_THAT(html, HasSubstr("Nothing is said of elsewhere"));
  const json data = data_of(html);
  std::size_t charts = 0;
  for (const auto& chart : data["charts"]) charts += chart.value("section", "") == "theory";
  EXPECT_EQ(charts, 3U);
  EXPECT_THAT(text_of(folder.file("theory.csv")), HasSubstr("cosine"));
  EXPECT_THAT(text_of(folder.file("report.md")), Not(HasSubstr("<svg")));
  options.theory = false;
  EXPECT_THAT(text_of(write_report(folder, options)), Not(HasSubstr("id=\"theory\"")));
}

TEST(Report, AFolderOfFailedRunsSaysSo) {
  const TempFolder place;
  ResultsFolder folder(place.path());
  for (const std::uint64_t seed : {1, 2}) {
    Record failed = run_of("quadratic", "random", "", seed, 0);
    failed.error = "it broke";
    folder.append(failed);
  }
  const std::string html = text_of(write_report(folder));
  EXPECT_THAT(html, testing::AllOf(HasSubstr("<h1>No run of random in quadratic ended well</h1>"), HasSubstr("2 runs failed"),
                                   HasSubstr("it broke"), Not(HasSubstr("over time"))));
  EXPECT_THAT(text_of(folder.file("report.md")), HasSubstr("# No run of random in quadratic ended well\n"));
}

TEST(Report, AnEmptyFolderIsRefused) {
  const TempFolder place;
  EXPECT_THROW(write_report(ResultsFolder(place.path())), Error);
}

}  // namespace
}  // namespace neuralts
