// From a data set to a world: encoders, scaling, missing values, order.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/temp_folder.hpp"
#include "neuralts/data.hpp"
#include "neuralts/environment.hpp"

namespace neuralts {
namespace {

using testing::DoubleEq;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

class Classification : public testing::Test {
 protected:
  std::shared_ptr<const Environment> world(const std::string& params = "") const {
    return make_environment(path_ + (params.empty() ? "" : ":" + params));
  }
  // The context of arm `arm` in the round whose class is `label`.
  static std::vector<double> context(const Environment& env, const std::string& label, std::size_t arm = 0) {
    const auto episode = env.start(1);
    while (episode->next())
      for (std::size_t k = 0; k < episode->expected().size(); ++k)
        if (episode->expected()[k] == 1 && env.info().arm_labels[k] == label) {
          const auto x = episode->contexts()[arm].values;
          return {x.begin(), x.end()};
        }
    return {};
  }
  TempFolder folder_;
  std::string path_ = folder_.write("a:b.csv", "x,y,class\n3,4,p\n?,0,q\n10,0,r\n");
};

TEST_F(Classification, DisjointContextsOfLengthOne) {
  const auto env = world();
  EXPECT_EQ(env->info().shape, (Shape{2, 3}));
  EXPECT_THAT(env->info().arm_labels, ElementsAre("p", "q", "r"));
  EXPECT_THAT(env->info().column_names, ElementsAre("x", "y"));
  EXPECT_THAT(context(*env, "p"), ElementsAre(DoubleEq(0.6), DoubleEq(0.8)));
  EXPECT_THAT(context(*env, "q"), ElementsAre(-1, 0)) << "missing is -1";
  const auto episode = env->start(1);
  episode->next();
  EXPECT_TRUE(episode->contexts().shared());
  EXPECT_EQ(episode->contexts()[2].block, 2u);
}

TEST_F(Classification, OnehotArmAppendsTheArm) {
  const auto env = world("encoder=onehot-arm");
  EXPECT_EQ(env->info().shape, (Shape{5, 1}));
  EXPECT_THAT(env->info().column_names, ElementsAre("x", "y", "arm p", "arm q", "arm r"));
  const double h = std::sqrt(0.5);
  EXPECT_THAT(context(*env, "p", 1), ElementsAre(DoubleNear(0.6 * h, 1e-15), DoubleNear(0.8 * h, 1e-15), 0, h, 0));
  EXPECT_THAT(context(*world("encoder=onehot-arm,normalise=none"), "p", 2), ElementsAre(3, 4, 0, 0, 1));
}

TEST_F(Classification, ScalingAndMissing) {
  EXPECT_THAT(context(*world("normalise=none,missing=7"), "q"), ElementsAre(7, 0));
  EXPECT_THAT(context(*world("normalise=none,scale=minmax"), "p"), ElementsAre(0, 1));
  EXPECT_THAT(context(*world("normalise=none,scale=minmax"), "q"), ElementsAre(-1, 0));
  EXPECT_THAT(context(*world("normalise=none,scale=standard"), "r"),
              ElementsAre(DoubleEq(1), DoubleNear(-4 / 3.0 / std::sqrt(32 / 9.0), 1e-12)));
}

TEST_F(Classification, TheSeedOrdersTheRowsAndEachComesOnce) {
  const auto env = world();
  const auto order = [&](std::uint64_t seed) {
    const auto episode = env->start(seed);
    std::vector<std::size_t> labels;
    while (episode->next())
      for (std::size_t k = 0; k < 3; ++k)
        if (episode->reward(k) == 1) labels.push_back(k);
    return labels;
  };
  EXPECT_THAT(order(1), testing::UnorderedElementsAre(0u, 1u, 2u));
  bool differs = false;
  for (std::uint64_t seed = 2; seed < 20; ++seed) differs |= order(seed) != order(1);
  EXPECT_TRUE(differs);
}

// Three rows, classes p, q, r: after the switch every class pays the next arm, the last one the first.
TEST_F(Classification, AfterASwitchEveryClassMeansTheNext) {
  const auto before = world()->start(4), after = world("switch=1")->start(4);
  for (int round = 0; round < 3; ++round) {
    before->next();
    after->next();
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_EQ(after->expected()[round == 0 ? k : (k + 1) % 3], before->expected()[k]) << round;
  }
}

TEST_F(Classification, AnotherLabelColumn) {
  const auto env = world("label=y");
  EXPECT_THAT(env->info().arm_labels, ElementsAre("0", "4"));
  EXPECT_THAT(env->info().column_names, ElementsAre("x", "class=p", "class=q", "class=r"));
}

TEST(DataReport, WarnsOfWhatSpoilsLearning) {
  std::string csv = "id,constant,large,empty,class\n";
  for (int i = 0; i < 300; ++i) csv += fmt::format("n{},5,100000{},?,{}\n", i, i, i == 0 ? "rare" : "common");
  const TempFolder folder;
  const auto report = describe_data(folder.write("f.csv", csv));
  EXPECT_EQ(report.rows, 300u);
  const std::string all = testing::PrintToString(report.warnings);
  EXPECT_THAT(all, HasSubstr("column 'id' has nearly a value per row"));
  EXPECT_THAT(all, HasSubstr("1 column is constant: constant"));
  EXPECT_THAT(all, HasSubstr("column 'large' makes up 100 %"));
  EXPECT_THAT(all, HasSubstr("column 'empty' has no values"));
  EXPECT_THAT(all, HasSubstr("class 'rare' is rare: 1 rows"));
  EXPECT_EQ(report.classes[0].rows, 299u);
}

TEST(DataSets, AMistypedNameIsAnsweredWithTheNearest) {
  try {
    (void)describe_data("mushrom");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'mushroom'?"));
  }
}

TEST(DataSets, AreFoundInTheFolderThatIsNamed) {
  const TempFolder folder;
  const auto path = folder.write("magic.csv", "a,ID,class\n1,7,g\n2,8,h\n");
  for (const auto& set : list_data(folder.path())) {
    if (set.name != "magic") continue;
    EXPECT_EQ(set.path, path);
  }
  EXPECT_EQ(make_environment("magic", folder.path())->info().shape.length, 1u) << "the ID column is left out";
}

}  // namespace
}  // namespace neuralts
