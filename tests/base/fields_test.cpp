#include "neuralts/fields.hpp"

#include <gtest/gtest.h>

#include <string>

namespace neuralts {
namespace {

FieldTable sample(std::size_t rows) {
  FieldTable table;
  for (std::size_t i = 0; i < rows; ++i) {
    table.start_row();
    table.add(Field::of("name " + std::to_string(i), std::string(i, 'x')));
    table.add(Field::of("number", static_cast<double>(i)));
    table.add(Field::truth_of("truth", i % 2 == 1));
    table.add(Field::missing_of("nothing"));
  }
  return table;
}

TEST(FieldTable, KeepsNamesAndTextsOfItsOwn) {
  const FieldTable table = sample(300);
  ASSERT_EQ(table.rows(), 300u);
  for (std::size_t i = 0; i < 300; ++i) {
    const Fields row = table.row(i);
    ASSERT_EQ(row.size(), 4u);
    EXPECT_EQ(row[0].name, "name " + std::to_string(i));
    EXPECT_EQ(row[0].text, std::string(i, 'x'));
    EXPECT_EQ(row[1].number, static_cast<double>(i));
    EXPECT_EQ(row[2].number, i % 2 == 1);
    EXPECT_EQ(row[3].kind, Field::Kind::missing);
  }
}

TEST(FieldTable, ACopyOutlivesItsOriginal) {
  FieldTable copy;
  {
    const FieldTable original = sample(50);
    copy = original;
  }
  EXPECT_EQ(copy, sample(50));
  EXPECT_FALSE(copy == sample(49));
}

TEST(FieldTable, IsUsedAgainAfterClearAndAfterAMove) {
  FieldTable table = sample(200);
  table.clear();
  EXPECT_TRUE(table.empty());
  table.append(sample(20));
  EXPECT_EQ(table, sample(20));
  const FieldTable moved = std::move(table);
  EXPECT_EQ(moved, sample(20));
  table.clear();
  table.append(sample(150));
  EXPECT_EQ(table, sample(150));
}

TEST(FieldTable, TakesItsOwnRowsAndFields) {
  FieldTable table = sample(3), twice = sample(3);
  twice.append(sample(3));
  table.append(table);
  EXPECT_EQ(table, twice);
  table.start_row();
  for (int i = 0; i < 100; ++i) table.add(table.row(2)[0]);
  EXPECT_EQ(table.row(6)[99].name, "name 2");
  EXPECT_EQ(table.row(6)[99].text, "xx");
}

TEST(FieldTable, TakesTextsLargerThanItsChunks) {
  FieldTable table;
  table.start_row();
  for (const std::size_t size : {1u, 5000u, 3u, 100'000u, 4096u}) table.add(Field::of("t", std::string(size, 'a')));
  std::size_t at = 0;
  for (const std::size_t size : {1u, 5000u, 3u, 100'000u, 4096u})
    EXPECT_EQ(table.row(0)[at++].text, std::string(size, 'a'));
}

}  // namespace
}  // namespace neuralts
