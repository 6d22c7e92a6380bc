#include "lab/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neuralts {
namespace {

std::vector<Record> runs_of(const std::string& nu, std::uint64_t first_seed, double regret) {
  std::vector<Record> records;
  for (std::uint64_t seed = first_seed; seed < first_seed + 4; ++seed) {
    Record record;
    record.spec.env = "quadratic";
    record.spec.policy.name = "linear-ts";
    record.spec.policy.params["nu"] = nu;
    record.spec.seed = seed;
    record.result.rounds = 10;
    record.result.regret = regret + static_cast<double>(seed % 4) * 10;
    records.push_back(record);
  }
  records.back().result.regret += 0.5;  // the differences are not all the same
  return records;
}

TEST(Comparison, SharedSeedsArePaired) {
  const auto before = runs_of("1", 1, 100), after = runs_of("1", 1, 98);
  auto noisy = after;
  noisy[0].result.regret += 0.25;
  const auto comparison = compare(Summary(before), Summary(noisy), CompareBy::config);
  ASSERT_EQ(comparison.rows.size(), 1U);
  EXPECT_EQ(comparison.rows[0].pairs, 4U);
  EXPECT_LT(comparison.rows[0].test.difference, 0);
  EXPECT_TRUE(comparison.rows[0].significant())
      << "the spread over seeds is ten times the difference; pairing sees it";
  EXPECT_EQ(comparison_table(comparison).rows[0].back().text, "better");
}

TEST(Comparison, OtherSeedsAreNot) {
  const auto before = runs_of("1", 1, 100), after = runs_of("1", 5, 98);
  const auto comparison = compare(Summary(before), Summary(after), CompareBy::config);
  ASSERT_EQ(comparison.rows.size(), 1U);
  EXPECT_EQ(comparison.rows[0].pairs, 0U);
  EXPECT_FALSE(comparison.rows[0].significant());
  EXPECT_EQ(comparison_table(comparison).rows[0].back().text, "not distinguishable");
}

TEST(Comparison, ByConfigurationOrByPolicy) {
  const auto before = runs_of("1", 1, 100), after = runs_of("0.1", 1, 300);
  const Summary a(before), b(after);
  const auto exact = compare(a, b, CompareBy::config);
  EXPECT_TRUE(exact.rows.empty());
  EXPECT_THAT(exact.only_a, testing::ElementsAre(testing::HasSubstr("nu=1")));
  EXPECT_THAT(exact.only_b, testing::ElementsAre(testing::HasSubstr("nu=0.1")));
  const auto loose = compare(a, b, CompareBy::policy);
  ASSERT_EQ(loose.rows.size(), 1U);
  EXPECT_EQ(comparison_table(loose).rows[0].back().text, "worse");
}

TEST(Comparison, WithoutTwoSeedsNothingIsTestedAndEqualRunsAreTheSame) {
  auto one = runs_of("1", 1, 100), other = runs_of("1", 1, 300);
  one.resize(1), other.resize(1);
  const auto untested = comparison_table(compare(Summary(one), Summary(other), CompareBy::config));
  EXPECT_THAT(untested.rows[0].back().text, testing::HasSubstr("not tested"));
  EXPECT_EQ(untested.rows[0][3].text, "110") << "one seed has no spread";
  EXPECT_EQ(untested.rows[0][6].text, "-") << "p";
  EXPECT_EQ(untested.rows[0][7].text, "-") << "test";
  const auto twice = runs_of("1", 1, 100);
  EXPECT_EQ(comparison_table(compare(Summary(twice), Summary(twice), CompareBy::config)).rows[0].back().text,
            "the same");
}

TEST(Comparison, ParametersInForceThatDifferAreShown) {
  auto before = runs_of("1", 1, 100), after = runs_of("1", 1, 98);
  for (auto& record : before) record.result.resolved = {{"nu", "0.1"}, {"lambda", "1"}};
  for (auto& record : after) record.result.resolved = {{"nu", "0.1"}, {"lambda", "2"}, {"units", "50"}};
  const auto comparison = compare(Summary(before), Summary(after), CompareBy::config);
  EXPECT_EQ(comparison.rows[0].differs, "lambda 1 -> 2, units - -> 50");
}

}  // namespace
}  // namespace neuralts
