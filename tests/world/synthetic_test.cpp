#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "neuralts/environment.hpp"

namespace neuralts {
namespace {

std::size_t best_arm(const Episode& episode) {
  const auto expected = episode.expected();
  return static_cast<std::size_t>(std::max_element(expected.begin(), expected.end()) - expected.begin());
}

class Synthetic : public testing::TestWithParam<const char*> {};
class Seeded : public testing::TestWithParam<const char*> {};

TEST_P(Seeded, AnEpisodeIsAFunctionOfItsSeed) {
  const auto env = make_environment(GetParam());
  const auto a = env->start(3), b = env->start(3), other = env->start(4);
  bool differs = false;
  for (int t = 0; t < 50; ++t) {
    ASSERT_TRUE(a->next() && b->next() && other->next());
    ASSERT_EQ(a->contexts().arms(), b->contexts().arms());
    for (std::size_t k = 0; k < a->contexts().arms(); ++k) {
      EXPECT_EQ(a->reward(k), b->reward(k));
      const auto x = a->contexts()[k], y = b->contexts()[k];
      EXPECT_EQ(x.block, y.block);
      EXPECT_TRUE(std::equal(x.values.begin(), x.values.end(), y.values.begin(), y.values.end()));
    }
    for (std::size_t k = 0; k < std::min(a->contexts().arms(), other->contexts().arms()); ++k)
      differs |= a->reward(k) != other->reward(k);
  }
  EXPECT_TRUE(differs);
}

TEST_P(Synthetic, RewardsScatterAroundTheExpectedOnes) {
  const auto env = make_environment(GetParam());
  const auto episode = env->start(1);
  double sum = 0, squares = 0, count = 0;
  for (int t = 0; t < 2000; ++t) {
    ASSERT_TRUE(episode->next());
    EXPECT_NO_THROW(episode->contexts().check(env->info().shape));
    ASSERT_EQ(episode->expected().size(), episode->contexts().arms());
    EXPECT_LE(episode->contexts().arms(), env->info().max_arms);
    EXPECT_EQ(episode->reward(0), episode->reward(0)) << "asked twice";
    const double noise = *episode->reward(0) - episode->expected()[0];
    sum += noise;
    squares += noise * noise;
    ++count;
  }
  const double sd = std::sqrt(squares / count);
  EXPECT_GT(sd, 0);
  EXPECT_LT(std::abs(sum / count), 5 * sd / std::sqrt(count));
}

constexpr auto name_of = [](const testing::TestParamInfo<const char*>& world) {
  return std::to_string(world.index) + "_" + std::string(world.param).substr(0, std::string(world.param).find(':'));
};

INSTANTIATE_TEST_SUITE_P(Worlds, Seeded,
                         testing::Values("quadratic", "gram", "cosine", "linear", "wheel",
                                         "wheel:bias=false,delta=0.5", "drifting", "sleeping",
                                         "appearing:appear=3", "nominal", "nominal:classes=19,onehot=false",
                                         "clusters", "actions", "actions:form=blocks", "clicks", "plain", "segments",
                                         "codes", "codes:unknown=0.1,form=columns", "doses",
                                         "doses:form=blocks,tails=3", "items", "items:dim=1,arms=2", "risky", "linear:tails=2.5", "linear:swing=1", "clicks:odds=-4"),
                         name_of);

INSTANTIATE_TEST_SUITE_P(Worlds, Synthetic,
                         testing::Values("quadratic", "gram", "cosine", "linear", "wheel",
                                         "wheel:bias=false,delta=0.5", "drifting", "sleeping",
                                         "appearing:appear=3", "clicks", "plain", "segments", "codes", "doses", "items", "linear:tails=3",
                                         "sleeping:tails=3", "clicks:odds=-4"),
                         [](const auto& world) { return name_of(world); });

// Of one degree of freedom half of all noise is beyond its scale, and P(|noise| > 10) = 1 - 2 atan(10) / pi =
// 0.0635; of a normal one 0.317 and nothing. 4,000 rounds: a share's standard deviation is at most 0.008, four of
// them 0.032.
TEST(Tails, FewDegreesOfFreedomAreWild) {
  const auto beyond = [](const char* world, double limit) {
    const auto episode = make_environment(world)->start(1);
    double count = 0;
    for (int t = 0; t < 4000; ++t) {
      episode->next();
      count += std::abs(*episode->reward(0) - episode->expected()[0]) > limit;
    }
    return count / 4000;
  };
  EXPECT_NEAR(beyond("linear:noise=1,tails=1", 1), 0.5, 0.032);
  EXPECT_NEAR(beyond("sleeping:noise=1,tails=1,awake=1", 10), 0.0635, 0.016);  // four deviations of 0.0039
  EXPECT_NEAR(beyond("linear:noise=1", 1), 0.317, 0.032);
}

// All rewards of a round are moved by the same, up to `swing` and back within `cycle` rounds; regret, and what contexts show,
// know nothing of it.
TEST(Swing, MovesAllRewardsOfARoundAlike) {
  for (const std::string world : {"linear", "sleeping", "items", "doses"}) {
    const auto still = make_environment(world)->start(3),
               swinging = make_environment(world + ":swing=2,cycle=40")->start(3);
    std::vector<double> levels;
    for (int round = 0; round < 80; ++round) {
      ASSERT_TRUE(still->next() && swinging->next());
      const double level = *swinging->reward(0) - *still->reward(0);
      for (std::size_t k = 1; k < still->expected().size(); ++k)
        EXPECT_NEAR(*swinging->reward(k) - *still->reward(k), level, 1e-12) << world;
      EXPECT_TRUE(std::equal(still->expected().begin(), still->expected().end(), swinging->expected().begin()));
      levels.push_back(level);
    }
    const auto [least, most] = std::minmax_element(levels.begin(), levels.end());
    EXPECT_NEAR(*most, 2, 0.02) << world;
    EXPECT_NEAR(*least, -2, 0.02) << world;
    for (int round = 0; round < 40; ++round) EXPECT_NEAR(levels[round], levels[round + 40], 1e-9) << world;
  }
}

TEST(Odds, MoveEveryActionAlike) {
  const auto log_odds = [](double p) { return std::log(p / (1 - p)); };
  for (const std::string world : {"clicks", "plain", "segments", "codes"}) {
    const auto usual = make_environment(world + ":odds=-1")->start(2),
               rare = make_environment(world + ":odds=-5")->start(2);
    ASSERT_TRUE(usual->next() && rare->next());
    for (std::size_t k = 0; k < usual->expected().size(); ++k)
      EXPECT_NEAR(log_odds(rare->expected()[k]), log_odds(usual->expected()[k]) - 4, 1e-9);
  }
}

TEST(Segments, EachPaysTheSameWheneverItComes) {
  const auto episode = make_environment("segments:dim=3,arms=2")->start(1);
  std::map<std::vector<double>, std::vector<double>> pays;
  for (int t = 0; t < 100; ++t) {
    episode->next();
    const auto x = episode->contexts()[0].values;
    const auto expected = episode->expected();
    EXPECT_EQ(std::accumulate(x.begin(), x.end(), 0.0), 1);
    const auto [met, first] = pays.try_emplace({x.begin(), x.end()}, expected.begin(), expected.end());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), met->second.begin()));
  }
  EXPECT_EQ(pays.size(), 3u);
}

// A user gives the same for all items, whose order does not depend on it.
TEST(Items, DifferByWhatTheyAreAlone) {
  const auto items = make_environment("items:dim=3,arms=4")->start(1), alone = make_environment("items:dim=3,arms=4,user=0")->start(1);
  double largest = 0;
  for (int t = 0; t < 50; ++t) {
    ASSERT_TRUE(items->next() && alone->next());
    const double gives = items->expected()[0] - alone->expected()[0];
    largest = std::max(largest, std::abs(gives));
    const auto first = items->contexts()[0].values;
    for (std::size_t k = 0; k < 4; ++k) {
      const auto numbers = items->contexts()[k].values;
      EXPECT_TRUE(std::equal(first.begin(), first.begin() + 3, numbers.begin()));
      EXPECT_TRUE(k == 0 || !std::equal(first.begin() + 3, first.end(), numbers.begin() + 3));
      EXPECT_NEAR(items->expected()[k] - alone->expected()[k], gives, 1e-12);
      EXPECT_LE(std::abs(alone->expected()[k]), std::sqrt(std::inner_product(numbers.begin() + 3, numbers.end(), numbers.begin() + 3, 0.0)) + 1e-12);
    }
  }
  EXPECT_GT(largest, 3);
}

// Both forms are one world. A dose pays less by the square of how far it misses, so that of three that lie evenly the
// second difference is minus twice the square of the step, whatever the context wants.
TEST(Doses, PayBySquaresOfHowFarTheyMiss) {
  const auto columns = make_environment("doses:dim=3,arms=4")->start(1),
             blocks = make_environment("doses:dim=3,arms=4,form=blocks")->start(1);
  double largest = 0;
  for (int t = 0; t < 50; ++t) {
    ASSERT_TRUE(columns->next() && blocks->next());
    const auto pays = columns->expected(), same = blocks->expected();
    EXPECT_TRUE(std::equal(pays.begin(), pays.end(), same.begin()));
    for (std::size_t k = 0; k < 4; ++k) {
      const auto numbers = columns->contexts()[k].values, x = blocks->contexts()[k].values;
      EXPECT_TRUE(std::equal(x.begin(), x.end(), numbers.begin()));
      EXPECT_NEAR(numbers[3], -1.5 + static_cast<double>(k), 1e-12);
      EXPECT_LE(pays[k], 0);
    }
    for (std::size_t k = 1; k < 3; ++k) EXPECT_NEAR(pays[k - 1] - 2 * pays[k] + pays[k + 1], -2, 1e-12);
    largest = std::max(largest, std::abs(pays[0] - pays[3]));
  }
  EXPECT_GT(largest, 0.1);
}

// The logarithm of the odds, beyond a typical action's, is a sum over columns: of two kinds what each adds where the
// other column is unknown.
TEST(Codes, KindsAddUpAndUnknownOnesAddNothing) {
  const auto episode = make_environment("codes:dim=2,arms=2,odds=-1.5,unknown=0.1")->start(1);
  std::map<std::pair<double, double>, double> met;
  double unknown = 0;
  for (int t = 0; t < 4000; ++t) {
    episode->next();
    const auto x = episode->contexts()[0].values;
    const double p = episode->expected()[0];
    for (const double value : x) {
      unknown += value == -999;
      EXPECT_TRUE(value == -999 || (value >= 0 && value < 12 && value == std::floor(value)));
    }
    const double latent = std::log(p / (1 - p)) + 1.5;
    EXPECT_NEAR(met.try_emplace({x[0], x[1]}, latent).first->second, latent, 1e-9);
  }
  EXPECT_NEAR(unknown / 8000, 0.1, 0.014);  // four deviations of 0.0034
  ASSERT_EQ(met.size(), 13u * 13u);
  for (const auto& [kinds, latent] : met)
    EXPECT_NEAR(latent, (met[{kinds.first, -999.0}] + met[{-999.0, kinds.second}]), 1e-9);
}

TEST(Wheel, TheQuadrantsArmPaysBeyondDeltaOnly) {
  const auto episode = make_environment("wheel:delta=0.8")->start(1);
  int outside = 0;
  for (int t = 0; t < 5000; ++t) {
    episode->next();
    const auto x = episode->contexts()[0].values;
    const bool far = std::hypot(x[0], x[1]) > 0.8;
    outside += far;
    EXPECT_EQ(episode->expected()[0], 1.2);
    EXPECT_EQ(best_arm(*episode), far ? 1u + 2u * (x[0] < 0) + (x[1] < 0) : 0u);
    EXPECT_EQ(episode->expected()[best_arm(*episode)], far ? 50 : 1.2);
    EXPECT_EQ(x[2], 1);
  }
  // 5,000 draws, share 1 - 0.64: 1,800, standard deviation 34, five of them.
  EXPECT_NEAR(outside, 1800, 170);
}

TEST(Drifting, HalfAPeriodLaterEveryArmIsItsOpposite) {
  // Noise 0 and one dimension: theta.x is +-1 times the sign of x, so that the same sign shows the same arm.
  const auto episode = make_environment("drifting:dim=1,arms=1,period=100,noise=0")->start(2);
  std::vector<double> theta;
  for (int t = 0; t < 101; ++t) {
    episode->next();
    theta.push_back(episode->expected()[0] * episode->contexts()[0].values[0]);
  }
  EXPECT_NEAR(theta[0], -theta[50], 1e-12);
  EXPECT_NEAR(theta[0], theta[100], 1e-12);
}

TEST(Sleeping, OffersEverySubsetSizeAndNamesTheArmsBlocks) {
  const auto env = make_environment("sleeping:arms=3");
  const auto episode = env->start(1);
  std::vector<int> sizes(4), blocks(3);
  for (int t = 0; t < 500; ++t) {
    episode->next();
    ++sizes.at(episode->contexts().arms());
    for (std::size_t k = 0; k < episode->contexts().arms(); ++k) ++blocks.at(episode->contexts()[k].block);
  }
  EXPECT_EQ(sizes[0], 0);
  for (std::size_t n = 1; n <= 3; ++n) EXPECT_GT(sizes[n], 0);
  for (const int count : blocks) EXPECT_GT(count, 100);
}

TEST(Appearing, ArmsComeOneAfterTheOther) {
  const auto episode = make_environment("appearing:arms=3,appear=10")->start(1);
  for (std::size_t t = 0; t < 50; ++t) {
    episode->next();
    EXPECT_EQ(episode->contexts().arms(), std::min<std::size_t>(3, 1 + t / 10));
  }
}

TEST(Worlds, BadSpecsSayWhatIsAllowed) {
  for (const char* text : {"wheel:delta=2", "wheel:delat=0.5", "linear:arms=0", "whel", "sleeping:awake=x",
                           "drifting:period=-1"}) {
    try {
      (void)make_environment(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_spec) << text;
    }
  }
}

}  // namespace
}  // namespace neuralts
