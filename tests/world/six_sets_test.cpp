// The six published data sets, where they are at hand: sizes and class counts as their sources state them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>

#include "data/data_file.hpp"
#include "neuralts/environment.hpp"

namespace neuralts {
namespace {

struct Published {
  const char* name;
  std::size_t rows, features;
  std::map<std::string, std::size_t> counts;
  std::size_t missing;
};

void PrintTo(const Published& set, std::ostream* out) { *out << set.name; }

class SixSets : public testing::TestWithParam<Published> {
 protected:
  void SetUp() override {
    if (std::getenv("NEURALTS_DATA") == nullptr) GTEST_SKIP() << "NEURALTS_DATA is not set";
  }
};

TEST_P(SixSets, RowsFeaturesAndClassCountsAreThePublishedOnes) {
  const auto& expected = GetParam();
  const auto file = locate(*find_published(expected.name), "");
  const Table table = read_table(file.path, file.reading);
  EXPECT_EQ(table.features.rows(), expected.rows);
  EXPECT_EQ(table.features.columns(), expected.features);
  EXPECT_EQ(table.columns.size(), expected.features);
  std::map<std::string, std::size_t> counts;
  for (const auto label : table.labels) ++counts[table.classes[label]];
  EXPECT_EQ(counts, expected.counts);
  std::size_t missing = 0;
  for (const auto& column : table.columns) missing += column.missing;
  EXPECT_EQ(missing, expected.missing);
}

TEST_P(SixSets, ContextsAreUnitVectorsInABlockPerClass) {
  const auto& expected = GetParam();
  const auto env = make_environment(expected.name);
  EXPECT_EQ(env->info().shape, (Shape{expected.features, expected.counts.size()}));
  EXPECT_EQ(env->info().rounds, std::min<std::size_t>(10'000, expected.rows));
  EXPECT_EQ(env->info().max_rounds, expected.rows);
  EXPECT_EQ(env->info().arm_labels.size(), expected.counts.size());
  EXPECT_EQ(env->info().column_names.size(), expected.features);
  const auto episode = env->start(1);
  for (int t = 0; t < 100; ++t) {
    ASSERT_TRUE(episode->next());
    double square = 0;
    for (const double value : episode->contexts()[0].values) square += value * value;
    EXPECT_NEAR(square, 1, 1e-12);
    EXPECT_NO_THROW(episode->contexts().check(env->info().shape));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, SixSets,
    testing::Values(
        Published{"adult", 48842, 14, {{"<=50K", 37155}, {">50K", 11687}}, 6465},
        Published{"covertype", 100000, 54, {{"1", 36307}, {"2", 49000}, {"3", 6133}, {"4", 481}, {"5", 1663}, {"6", 2990}, {"7", 3426}}, 0},
        Published{"magic", 19020, 10, {{"g", 12332}, {"h", 6688}}, 0},
        Published{"mnist",
                  70000,
                  784,
                  {{"0", 6903},
                   {"1", 7877},
                   {"2", 6990},
                   {"3", 7141},
                   {"4", 6824},
                   {"5", 6313},
                   {"6", 6876},
                   {"7", 7293},
                   {"8", 6825},
                   {"9", 6958}},
                  0},
        Published{"mushroom", 8124, 22, {{"e", 4208}, {"p", 3916}}, 2480},
        Published{"shuttle", 58000, 9, {{"1", 45586}, {"2", 50}, {"3", 171}, {"4", 8903}, {"5", 3267}, {"6", 10}, {"7", 13}}, 0}),
    [](const auto& set) { return std::string(set.param.name); });

}  // namespace
}  // namespace neuralts
