#include "base/text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace neuralts {
namespace {

using List = std::vector<std::string>;

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a,b", ','), (List{"a", "b"}));
  EXPECT_EQ(split("", ','), (List{""}));
  EXPECT_EQ(split(",a,", ','), (List{"", "a", ""}));
}

TEST(Text, TrimTakesBlanksFromBothEnds) {
  EXPECT_EQ(trim(" \ta b\r\n"), "a b");
  EXPECT_EQ(trim(" \t "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Text, ANumberIsTheWholeText) {
  EXPECT_EQ(parse_number("1e-3"), 1e-3);
  EXPECT_EQ(parse_number("+2.5"), 2.5);
  EXPECT_EQ(parse_number("-0"), 0.0);
  for (const char* text : {"", "+", "1x", " 1", "1 ", "1,5", "0x10", "1e", "--1"})
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
}

TEST(Text, NumbersThatNoDoubleComesNearAreTold) {
  for (const char* text : {"1e999", "-1e999", "+1e-999", "1e400"}) {
    EXPECT_TRUE(is_beyond_double(text)) << text;
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  }
  for (const char* text : {"1e308", "0e999", "1e999x", "x", "", "inf", "nan"}) EXPECT_FALSE(is_beyond_double(text)) << text;
}

TEST(Text, FormattedNumbersReadBackTheSame) {
  for (const double value :
       {0.1, 1.0 / 3, 1e-300, -1e300, 0.0, 123456789.0, std::numeric_limits<double>::denorm_min()})
    EXPECT_EQ(parse_number(format_number(value)), value);
  EXPECT_EQ(format_number(0.1), "0.1");
  EXPECT_EQ(format_number(100), "100");
}

TEST(Text, NearestKnownWord) {
  const List words = {"lambda", "nu", "width", "depth"};
  EXPECT_EQ(nearest("lamda", words), "lambda");
  EXPECT_EQ(nearest("with", words), "width");
  EXPECT_EQ(nearest("mu", words), "nu");
  EXPECT_EQ(nearest("optimiser", words), "");
  EXPECT_EQ(suggest("lambd", words), "did you mean 'lambda'?");
  EXPECT_EQ(suggest("optimiser", words), "known: lambda, nu, width, depth");
  EXPECT_EQ(suggest("x", {}), "");
}

}  // namespace
}  // namespace neuralts
