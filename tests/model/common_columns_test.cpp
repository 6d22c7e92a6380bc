// Which columns the contexts of a decision have in common, told by decisions.
#include "model/common_columns.hpp"

#include <gtest/gtest.h>

namespace neuralts {
namespace {

// A row per context.
void see(CommonColumns& columns, const std::vector<double>& rows, std::size_t arms) {
  columns.see(Contexts::per_arm(rows, arms));
}

std::string told(const CommonColumns& columns, std::size_t length) {
  std::string out;
  for (std::size_t i = 0; i < length; ++i) out += columns[i] ? 'c' : '.';
  return out;
}

// The hour, an item's price, a constant.
TEST(CommonColumns, AreThoseThatDifferBetweenDecisionsAlone) {
  CommonColumns columns;
  EXPECT_FALSE(columns.any());
  see(columns, {3, 1, 7, 3, 2, 7}, 2);
  EXPECT_FALSE(columns.any()) << "so far every column may be a constant";
  see(columns, {4, 1, 7, 4, 2, 7}, 2);
  EXPECT_TRUE(columns.any());
  EXPECT_EQ(told(columns, 3), "c..");
  see(columns, {3, 1, 7, 5, 2, 7}, 2);
  EXPECT_FALSE(columns.any()) << "it has differed within a decision";
}

// A column that is 1 for an item which is hardly ever offered.
TEST(CommonColumns, AreNotThoseOfItemsThatAreRarelyOffered) {
  CommonColumns columns;
  for (int hour = 0; hour < 5; ++hour) {
    const auto x = static_cast<double>(hour);
    see(columns, {x, 1, 0, 0, x, 0, 1, 0}, 2);
  }
  EXPECT_EQ(told(columns, 4), "c...");
  see(columns, {9, 1, 0, 0, 9, 0, 0, 1}, 2);
  EXPECT_EQ(told(columns, 4), "c...");
}

TEST(CommonColumns, ADecisionWithoutAChoiceTellsNothing) {
  CommonColumns columns;
  see(columns, {1, 2}, 1);
  see(columns, {3, 4}, 1);
  EXPECT_FALSE(columns.any());
  see(columns, {1, 2, 1, 2}, 2);
  see(columns, {3, 4, 3, 4}, 2);
  EXPECT_FALSE(columns.any()) << "where all columns are, there is nothing to tell apart";
}

TEST(CommonColumns, AreSavedAndLoaded) {
  CommonColumns columns, loaded;
  see(columns, {1, 2, 1, 3}, 2);
  Writer out;
  columns.save(out);
  Reader in(out.bytes(), "test");
  loaded.load(in, 2);
  EXPECT_TRUE(in.at_end());
  see(loaded, {2, 2, 2, 3}, 2);
  EXPECT_EQ(told(loaded, 2), "c.");
  Reader other(out.bytes(), "test");
  EXPECT_THROW(loaded.load(other, 3), Error);
}

}  // namespace
}  // namespace neuralts
