// What good files hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "data/data_file.hpp"
#include "base/text.hpp"
#include "base/temp_folder.hpp"

namespace neuralts {
namespace {

using testing::ElementsAre;

std::vector<double> row(const Table& table, std::size_t i) {
  std::vector<double> values(table.features.columns());
  table.features.row(i, values);
  for (double& value : values)
    if (std::isnan(value)) value = -999;
  return values;
}

Table csv(std::string_view text, const ReadOptions& options = {}) {
  return read_csv(*text_source(text, "f.csv"), options);
}
Table arff(std::string_view text, const ReadOptions& options = {}) {
  return read_arff(*text_source(text, "f.arff"), options);
}

TEST(Csv, NumbersNominalsMissingAndLabels) {
  const Table table = csv("age,city,class\n30,Rome,yes\n?,Oslo,no\n-1.5e1,,yes\n");
  EXPECT_THAT(table.classes, ElementsAre("no", "yes"));
  EXPECT_THAT(table.labels, ElementsAre(1u, 0u, 1u));
  EXPECT_EQ(table.label, "class");
  EXPECT_FALSE(table.columns[0].nominal);
  EXPECT_TRUE(table.columns[1].nominal);
  EXPECT_THAT(table.columns[1].values, ElementsAre("Oslo", "Rome"));
  EXPECT_EQ(table.columns[0].missing + table.columns[1].missing, 2u);
  EXPECT_THAT(row(table, 0), ElementsAre(30, 1));
  EXPECT_THAT(row(table, 1), ElementsAre(-999, 0));
  EXPECT_THAT(row(table, 2), ElementsAre(-15, -999));
}

TEST(Csv, QuotesBlanksLineEndsAndAByteOrderMark) {
  const Table table = csv(
      "\xEF\xBB\xBFname , \"a \"\"b\"\"\",class\r\n\"x,1\" ,  2 , p \r\n\r\n\"two\nlines\",3,\"e\"\r\n");
  EXPECT_EQ(table.columns[0].name, "name");
  EXPECT_EQ(table.columns[1].name, "a \"b\"");
  EXPECT_THAT(table.columns[0].values, ElementsAre("two\nlines", "x,1"));
  EXPECT_THAT(table.classes, ElementsAre("e", "p"));
  EXPECT_THAT(row(table, 0), ElementsAre(1, 2));
}

TEST(Csv, Utf8NamesAndValuesSurvive) {
  const Table table = csv("größe,班\n1,狐\n2,犬\n");
  EXPECT_EQ(table.columns[0].name, "größe");
  EXPECT_EQ(table.label, "班");
  EXPECT_THAT(table.classes, ElementsAre("犬", "狐"));
}

TEST(Csv, AColumnThatTurnsOutNominalIsReadAgainAsText) {
  const Table table = csv("zip,class\n007,p\n12,e\n?,e\nA1,p\n12,p\n");
  EXPECT_THAT(table.columns[0].values, ElementsAre("007", "12", "A1"));
  EXPECT_EQ(table.columns[0].missing, 1u);
  EXPECT_EQ(row(table, 4)[0], 1);
}

TEST(Csv, WhatOtherProgramsWriteForNoNumberIsMissingAmongNumbersAndAWordAmongWords) {
  const Table numbers = csv("a,class\nNA,p\n1.5,e\nNaN,e\nn/a,p\nNULL,p\nNone,p\n");
  EXPECT_FALSE(numbers.columns[0].nominal);
  EXPECT_EQ(numbers.columns[0].missing, 5u);
  EXPECT_THAT(row(numbers, 0), ElementsAre(-999));
  for (const char* text : {"country,class\nNA,p\nDE,e\nnan,e\n", "country,class\nDE,p\nNA,e\nnan,p\n"}) {
    const Table words = csv(text);
    EXPECT_THAT(words.columns[0].values, ElementsAre("DE", "NA", "nan"));
    EXPECT_EQ(words.columns[0].missing, 0u);
  }
}

TEST(Csv, WhatFitsNoNumberIsAWordAmongWords) {
  const Table table = csv("commit,class\n1e999,None\ninf,mild\n3e45,NA\nab12,mild\n");
  EXPECT_THAT(table.columns[0].values, ElementsAre("1e999", "3e45", "ab12", "inf"));
  EXPECT_THAT(table.classes, ElementsAre("NA", "None", "mild"));
}

TEST(Csv, ClassesThatAreNumbersAreSortedAsNumbers) {
  EXPECT_THAT(csv("a,class\n1,10\n1,9\n1,-1\n").classes, ElementsAre("-1", "9", "10"));
}

TEST(Csv, LabelByNameDroppedColumnsAndDeclaredValues) {
  const Table table = csv("id,kind,class,a\n7,y,p,1\n8,x,e,2\n",
                          {.label = "class", .declared = {{"kind", {"z", "y", "x"}}}, .drop = {"id"}});
  EXPECT_EQ(table.label, "class");
  ASSERT_EQ(table.columns.size(), 2u);
  EXPECT_EQ(table.columns[0].name, "kind");
  EXPECT_THAT(row(table, 0), ElementsAre(1, 1));
  EXPECT_THAT(row(table, 1), ElementsAre(2, 2));
}

TEST(Csv, LinesLongerThanTheBuffer) {
  std::string header, numbers;
  for (int i = 0; i < 50'000; ++i) {
    header.append("c").append(std::to_string(i)).append(",");
    numbers.append(std::to_string(i % 100)).append(",");
  }
  const Table table = csv(header + "class\n" + numbers + "p\n" + numbers + "e\n");
  EXPECT_EQ(table.features.columns(), 50'000u);
  EXPECT_EQ(row(table, 1)[49'999], 99);
}

TEST(Arff, DenseRowsWithDeclaredOrderQuotesAndComments) {
  const Table table = arff(
      "% comment\n@RELATION 'my data'\n@Attribute 'the size' REAL\n@attribute kind { 'b b', a, \"c\" } % order counts\n@attribute class "
      "{yes,no}\n\n"
      "@DATA\n1.5, 'b b', no\n?,c,yes % end\n2,a,no\n");
  EXPECT_EQ(table.columns[0].name, "the size");
  EXPECT_THAT(table.columns[1].values, ElementsAre("b b", "a", "c"));
  EXPECT_THAT(table.classes, ElementsAre("yes", "no"));
  EXPECT_THAT(table.labels, ElementsAre(1u, 0u, 1u));
  EXPECT_THAT(row(table, 0), ElementsAre(1.5, 0));
  EXPECT_THAT(row(table, 1), ElementsAre(-999, 2));
}

TEST(Arff, SparseRowsLeaveOutTheFirstValue) {
  const Table table = arff(
      "@attribute a numeric\n@attribute kind {x,y}\n@attribute b integer\n@attribute class {p,e}\n@data\n{0 5, 3 e}\n{}\n{1 y,2 -1}\n");
  EXPECT_THAT(table.labels, ElementsAre(1u, 0u, 0u));
  EXPECT_THAT(row(table, 0), ElementsAre(5, 0, 0));
  EXPECT_THAT(row(table, 1), ElementsAre(0, 0, 0));
  EXPECT_THAT(row(table, 2), ElementsAre(0, 1, -1));
}

TEST(Arff, ALabelThatIsLeftOutIsZero) {
  const Table table = arff(
      "@attribute a numeric\n@attribute class numeric\n@data\n{0 5, 1 2}\n{0 1}\n{1 -1}\n{}\n");
  EXPECT_THAT(table.classes, ElementsAre("-1", "0", "2"));
  EXPECT_THAT(table.labels, ElementsAre(2u, 1u, 0u, 1u));
}

TEST(Arff, StringsAndNumericClasses) {
  const Table table = arff("@attribute s string\n@attribute class numeric\n@data\nb,10\na,9\n'it\\'s',9\n");
  EXPECT_THAT(table.columns[0].values, ElementsAre("a", "b", "it's"));
  EXPECT_THAT(table.classes, ElementsAre("9", "10"));
  EXPECT_THAT(row(table, 0), ElementsAre(1));
}

TEST(Libsvm, SparseRowsAndSignedLabels) {
  const Table table = read_libsvm(*text_source("+1 1:0.5 4:2 # note\n-1 2:1\n\n1\n", "f.libsvm"));
  EXPECT_THAT(table.classes, ElementsAre("-1", "1"));
  EXPECT_THAT(table.labels, ElementsAre(1u, 0u, 1u));
  EXPECT_THAT(row(table, 0), ElementsAre(0.5, 0, 0, 2));
  EXPECT_THAT(row(table, 2), ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(table.columns[3].name, "feature 4");
}

TEST(Idx, ImagesFindTheirLabels) {
  const TempFolder folder;
  const auto bytes = [](std::vector<int> all) { return std::string(all.begin(), all.end()); };
  const auto images = folder.write("d/train-images-idx3-ubyte",
                                   bytes({0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 255}));
  folder.write("d/train-labels-idx1-ubyte", bytes({0, 0, 8, 1, 0, 0, 0, 2, 1, 0}));
  const Table table = read_table(images, {});
  EXPECT_THAT(table.labels, ElementsAre(1u, 0u));
  EXPECT_THAT(row(table, 1), ElementsAre(3, 255));
  folder.write("d/t10k-images-idx3-ubyte", bytes({0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 7, 8}));
  folder.write("d/t10k-labels-idx1-ubyte", bytes({0, 0, 8, 1, 0, 0, 0, 1, 2}));
  EXPECT_THAT(row(read_table(images, {}), 2), ElementsAre(7, 8)) << "the test part follows";
}

TEST(Numbers, AgreeWithTheLibrarysOwn) {
  for (const char* text :
       {"0", "-0", "1", "-17", "3.25", ".5", "5.", "123456789012345", "0.000001", "1e5", "-2.5E-3", "+4",
        "999999999999999999", "0.1", "2.2250738585072014e-308", "179769313486231570000"}) {
    const auto value = parse_number(text);
    ASSERT_TRUE(value) << text;
    EXPECT_EQ(*value, std::strtod(text, nullptr)) << text;
  }
  for (const char* text : {"", "-", ".", "1.2.3", "1e", "--1", "0x10", "1 ", "1,5", "a", "1_000"})
    EXPECT_FALSE(parse_number(text)) << text;
}

}  // namespace
}  // namespace neuralts
