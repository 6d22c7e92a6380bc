#include "lab/delay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace neuralts {
namespace {

using testing::HasSubstr;

// Rewards are the numbers of their rounds: what arrives says when it was played.
std::vector<std::vector<double>> arrivals(const std::string& text, std::size_t rounds, std::uint64_t seed = 1) {
  DelayQueue queue(parse_delay(text), seed);
  std::vector<std::vector<double>> all;
  for (std::size_t t = 1; t <= rounds; ++t) {
    const double x[] = {static_cast<double>(t), -1};
    queue.push(t, {x, t % 3}, static_cast<double>(t));
    auto& now = all.emplace_back();
    for (const auto& finished : queue.arrive(t)) {
      EXPECT_EQ(finished.context.values[0], finished.reward);
      EXPECT_EQ(finished.context.block, static_cast<std::size_t>(finished.reward) % 3);
      now.push_back(finished.reward);
    }
  }
  return all;
}

TEST(Delay, TextRoundTrips) {
  for (const std::string text :
       {"0", "1", "100", "uniform:0..0", "uniform:10..100", "exponential:0", "exponential:12.5", "0,lost=0.25", "50,lost=1"})
    EXPECT_EQ(to_string(parse_delay(text)), text);
  EXPECT_EQ(to_string(parse_delay("")), "0");
  EXPECT_EQ(to_string(parse_delay("lost=0.5")), "0,lost=0.5");
}

TEST(Delay, BadTextIsRefusedWithAnExample) {
  for (const std::string text :
       {"-1", "1.5", "soon", "uniform:", "uniform:5", "uniform:9..3", "uniform:1..2.5", "exponential:-1", "exponential:", "3,lost=2",
        "3,lost=", "3,4", "1,lost=0.1,lost=0.2", "nan", "inf", "1e10", "lost=0.1,3", ","}) {
    try {
      (void)parse_delay(text);
      ADD_FAILURE() << text << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_spec);
      EXPECT_THAT(error.what(), HasSubstr("'" + text + "'"));
      EXPECT_THAT(error.what(), HasSubstr("uniform:10..100"));
    }
  }
}

TEST(Delay, NothingWaitsWithoutDelay) {
  for (const std::string text : {"0", "1", "uniform:0..0", "exponential:0"}) {
    const auto all = arrivals(text, 20);
    for (std::size_t t = 1; t <= all.size(); ++t)
      EXPECT_EQ(all[t - 1], std::vector<double>{static_cast<double>(t)}) << text;
  }
}

TEST(Delay, BatchesArriveWholeAndInOrder) {
  const auto all = arrivals("3", 7);
  const std::vector<std::vector<double>> expected = {{}, {}, {1, 2, 3}, {}, {}, {4, 5, 6}, {}};
  EXPECT_EQ(all, expected);
}

TEST(Delay, UniformStaysInItsRangeAndReachesItsEnds) {
  const auto all = arrivals("uniform:2..5", 400);
  std::vector<std::size_t> seen(6);
  for (std::size_t t = 1; t <= all.size(); ++t)
    for (const double played : all[t - 1]) ++seen.at(t - static_cast<std::size_t>(played));
  EXPECT_EQ(seen[0] + seen[1], 0u);
  // 400 draws, 4 values: 100 each, standard deviation 8.7; 5 of them is 43.
  for (std::size_t d = 2; d <= 5; ++d) EXPECT_NEAR(static_cast<double>(seen[d]), 100, 43) << d;
}

TEST(Delay, ExponentialHasItsMean) {
  const auto all = arrivals("exponential:20", 5000);
  double sum = 0, count = 0;
  for (std::size_t t = 1; t <= all.size(); ++t)
    for (const double played : all[t - 1]) {
      sum += static_cast<double>(t) - played;
      ++count;
    }
  // Whole rounds cut 1/2 off on average; standard error 20/sqrt(5000) = 0.28, five of them.
  EXPECT_NEAR(sum / count, 19.5, 1.5);
}

TEST(Delay, LostRewardsNeverArrive) {
  const auto count = [](const std::string& text) {
    std::size_t n = 0;
    for (const auto& now : arrivals(text, 1000)) n += now.size();
    return n;
  };
  EXPECT_EQ(count("0,lost=0"), 1000u);
  EXPECT_EQ(count("0,lost=1"), 0u);
  EXPECT_NEAR(static_cast<double>(count("0,lost=0.3")), 700, 73);  // standard deviation 14.5, five of them
}

TEST(Delay, IsAFunctionOfTheSeed) {
  EXPECT_EQ(arrivals("exponential:7,lost=0.2", 200, 4), arrivals("exponential:7,lost=0.2", 200, 4));
  EXPECT_NE(arrivals("exponential:7,lost=0.2", 200, 4), arrivals("exponential:7,lost=0.2", 200, 5));
}

}  // namespace
}  // namespace neuralts
