#include "neuralts/session.hpp"

#include <gtest/gtest.h>

#include "neuralts/error.hpp"

namespace neuralts {
namespace {

TEST(Duration, AsPeopleWriteIt) {
  EXPECT_EQ(parse_duration("90", "after"), 90);
  EXPECT_EQ(parse_duration("45s", "after"), 45);
  EXPECT_EQ(parse_duration("30m", "after"), 1800);
  EXPECT_EQ(parse_duration(" 1.5 h ", "after"), 5400);
  EXPECT_EQ(parse_duration("2d", "after"), 172800);
  EXPECT_EQ(parse_duration("1w", "after"), 604800);
  EXPECT_EQ(parse_duration("0", "after"), 0);
  for (const char* text : {"", "h", "6 hours", "-1s", "inf", "nan", "6hh"})
    EXPECT_THROW((void)parse_duration(text, "after"), Error) << text;
}

}  // namespace
}  // namespace neuralts
