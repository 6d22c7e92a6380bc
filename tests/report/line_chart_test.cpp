#include "report/line_chart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace neuralts {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t points_of(const std::string& svg) {
  const auto from = svg.find("points=\"") + 8, to = svg.find('"', from);
  return static_cast<std::size_t>(std::count(svg.begin() + static_cast<std::ptrdiff_t>(from), svg.begin() + static_cast<std::ptrdiff_t>(to), ','));
}

TEST(LineChart, ShowsEveryPointItCan) {
  const ChartLine line{"a", {1, 10, 100, 1000}, {1, 0, std::nan(""), 5}};
  EXPECT_EQ(points_of(to_svg({.title = "t", .lines = {line}})), 3U);
  EXPECT_EQ(points_of(to_svg({.title = "t", .log_y = true, .lines = {line}})), 2U);
}

TEST(LineChart, PutsTheEndsOfTheDataAtTheEndsOfTheAxes) {
  const auto svg = to_svg({.title = "t", .log_x = true, .lines = {{"a", {10, 1000}, {0, 4}}}});
  EXPECT_THAT(svg, HasSubstr("points=\"64.0,296.0 544.0,34.0 \""));
  for (const char* tick : {">10<", ">100<", ">1000<", ">0<", ">4<"}) EXPECT_THAT(svg, HasSubstr(tick));
}

TEST(LineChart, EscapesText) {
  const auto svg = to_svg({.title = "<&>", .lines = {{"\"x\"", {1, 2}, {1, 2}}}});
  EXPECT_THAT(svg, HasSubstr("&lt;&amp;&gt;"));
  EXPECT_THAT(svg, HasSubstr("&quot;x&quot;"));
}

TEST(LineChart, SurvivesEmptyAndConstantData) {
  for (const LineChart& chart : {LineChart{.title = "none"}, LineChart{.title = "empty", .lines = {{"a", {}, {}}}}, LineChart{.title = "flat", .lines = {{"a", {1, 2}, {3, 3}}}}})
    EXPECT_THAT(to_svg(chart), Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace neuralts
