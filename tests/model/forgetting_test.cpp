// A policy that forgets is one that has only seen what is left.
#include "model/forgetting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "model/predict.hpp"
#include "neuralts/archive.hpp"
#include "neuralts/policy.hpp"

namespace neuralts {
namespace {

constexpr std::size_t d = 4;

struct Rounds {
  std::vector<std::vector<double>> x;
  std::vector<double> rewards;

  explicit Rounds(std::size_t count) {
    Stream stream(5, Purpose::theory);
    for (std::size_t i = 0; i < count; ++i) {
      x.push_back(random_numbers(stream, d));
      rewards.push_back(x.back()[0] - std::abs(x.back()[1]) + 0.1 * stream.normal());
    }
  }
  Finished operator[](std::size_t i) const { return {{x[i], i % 3 == 0 ? 1u : 0u}, rewards[i]}; }
};

Decision decide(const Policy& policy) {
  Stream stream(3, Purpose::theory), explore(1, Purpose::exploration);
  Scratch scratch;
  Decision out;
  policy.select(Contexts::disjoint(random_numbers(stream, d), 2), explore, scratch, out);
  return out;
}

void expect_same(const Policy& a, const Policy& b, double tolerance) {
  const Decision left = decide(a), right = decide(b);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(left.mean[k], right.mean[k], tolerance * (1 + std::abs(right.mean[k])));
    EXPECT_NEAR(left.width[k], right.width[k], tolerance * right.width[k]);
  }
}

struct Case {
  std::string policy, preset;
  Params params;
  double tolerance;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.policy << " " << c.preset << " " << to_string(c.params);
}

class Forgetting : public testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<Policy> make(const std::string& forget) const {
    Params params = GetParam().params;
    params["forget"] = forget;
    return make_policy({.name = GetParam().policy,
                        .preset = GetParam().preset,
                        .params = params,
                        .shape = {.length = d, .blocks = 2}});
  }
};

// A window of 16 is forgotten round by round (a sixteenth of it): after any number of rounds it is a policy
// that saw the last 16, at once.
TEST_P(Forgetting, AWindowIsAPolicyThatOnlySawTheLastRounds) {
  const Rounds rounds(60);
  const auto policy = make("window:16");
  for (std::size_t i = 0; i < 60; ++i) {
    const Finished round = rounds[i];
    policy->learn({&round, 1});
    if (i < 20 || i % 7 != 0) continue;
    const auto fresh = make("window:16");
    std::vector<Finished> last;
    for (std::size_t j = i - 15; j <= i; ++j) last.push_back(rounds[j]);
    fresh->learn(last);
    expect_same(*policy, *fresh, GetParam().tolerance);
  }
}

// A memory of 16 rounds, G = 15/16: the same as rounds whose weights fall with their age. Below 0.001 they
// are dropped.
TEST_P(Forgetting, ADiscountIsAWeightThatFallsWithAge) {
  const Rounds rounds(160);
  const double discount = 1 - 1.0 / 16;
  const auto policy = make("discount:0.9375"), fresh = make("never");
  std::vector<Finished> weighted;
  for (std::size_t i = 0; i < 160; ++i) {
    const Finished round = rounds[i];
    policy->learn({&round, 1});
    weighted.push_back(round);
    weighted.back().weight = std::pow(discount, 159.0 - static_cast<double>(i));
  }
  weighted.erase(
      weighted.begin(),
      weighted.begin() + (160 - static_cast<std::ptrdiff_t>(std::ceil(std::log(1e-3) / std::log(discount)))));
  fresh->learn(weighted);
  expect_same(*policy, *fresh, GetParam().tolerance);
}

// Trainings start from theta_0 and see all rounds: what they end in depends on the rounds alone.
const Params from_theta0 = {{"start", "initial"},
                            {"iterations", "20"},
                            {"units", "8"},
                            {"precision", "float64"},
                            {"train", "every:1"}};
Params with(Params params, const Params& more) {
  params.insert(more.begin(), more.end());
  return params;
}
INSTANTIATE_TEST_SUITE_P(
    Policies, Forgetting,
    testing::Values(Case{"linear-ts", "tuned", {}, 1e-9}, Case{"linear-ucb", "released", {}, 1e-9},
                    Case{"neural-ts", "paper", with(from_theta0, {{"posterior", "exact"}}), 1e-6},
                    Case{"neural-ucb", "paper",
                         with(from_theta0, {{"posterior", "diagonal"}, {"depth", "3"}}), 1e-6},
                    Case{"neural-linear", "paper", from_theta0, 1e-6},
                    Case{"neural-greedy", "paper", from_theta0, 1e-6},
                    // Who keeps which round is drawn as rounds come: where all keep all, the rounds alone decide.
                    Case{"bootstrap-nn", "paper", with(from_theta0, {{"members", "3"}, {"keep", "1"}}), 1e-6}));

TEST(Forget, ReadsItsForms) {
  Forget forget;
  ASSERT_TRUE(Forget::parse("window:300", forget));
  EXPECT_EQ(forget.window, 300u);
  ASSERT_TRUE(Forget::parse("discount:0.99", forget));
  EXPECT_EQ(forget.memory(), 688u);
  EXPECT_TRUE(Forget::parse("auto", forget) && Forget::parse("never", forget));
  for (const char* text :
       {"", "window", "window:0", "window:x", "discount:1", "discount:0", "auto:3", "sometimes"})
    EXPECT_FALSE(Forget::parse(text, forget)) << text;
}

/// Says 0 of everything, and has no memory for forgetting the first `refuses` times.
class Unmoved final : public CopiedBelief<Unmoved> {
 public:
  explicit Unmoved(std::vector<Retention>& asked, int refuses) : asked_(&asked), refuses_(refuses) {}
  void predict(const Contexts&, Scratch&, std::span<double> mean, std::span<double>) const override {
    std::fill(mean.begin(), mean.end(), 0.0);
  }
  void observe(std::span<const Finished>) override {}
  bool retain(const Retention& retention) override {
    asked_->push_back(retention);
    if (refuses_-- > 0) throw std::bad_alloc();
    return true;
  }
  std::size_t memory() const override { return 0; }
  void save(Writer&) const override {}
  void load(Reader&) override {}

 private:
  std::vector<Retention>* asked_;
  int refuses_;
};

std::unique_ptr<Belief> forgetting(const std::string& text, std::vector<Retention>& asked, int refuses,
                                   std::size_t length = d) {
  Forget forget;
  EXPECT_TRUE(Forget::parse(text, forget));
  return make_forgetting(std::make_unique<Unmoved>(asked, refuses), forget, {.length = length});
}

// Where a change could be noticed only with more memory than is worth it, that is said, and nothing is let go of. Contexts
// that leave room for some of the short memories are watched by these.
TEST(Forget, AutoSaysWhereContextsAreTooLongToBeWatched) {
  for (const std::size_t length : {std::size_t(5000), std::size_t(30'000)}) {
    std::vector<Retention> asked;
    auto belief = forgetting("auto", asked, 0, length);
    const std::vector<double> x(length, 1.0);
    for (int i = 0; i < 300; ++i) {
      const Finished round{{x}, i < 200 ? 0.01 * (i % 7) : 1.0};
      belief->observe({&round, 1});
      if (i != 150) continue;
      Writer out;
      belief->save(out);
      belief = forgetting("auto", asked, 0, length);
      Reader in(out.bytes(), "test");
      belief->load(in);
      ASSERT_TRUE(in.at_end());
    }
    const bool watched = length == 5000;
    EXPECT_EQ(asked.size(), watched ? 1u : 0u);
    ASSERT_EQ(belief->notes().size(), 1u);
    EXPECT_EQ(belief->notes()[0].find("too long to be watched") == std::string::npos, watched);
    EXPECT_LT(belief->memory(), std::size_t(24) << 20);
  }
}

// Forgetting for which there is no memory comes with the next round, also where the belief was saved in between,
// and lets go of the same rounds.
TEST(Forget, WhatCouldNotBeLetGoIsLetGoLater) {
  std::vector<Retention> asked;
  auto belief = forgetting("auto", asked, 1);
  Stream stream(9, Purpose::theory);
  std::size_t rounds = 0;
  const auto observe = [&](Belief& by) {
    const auto x = random_numbers(stream, d);
    const Finished round{{x}, (rounds++ < 300 ? 0.0 : 1.0) + 0.01 * stream.normal()};
    by.observe({&round, 1});
  };
  while (asked.empty() && rounds < 400) observe(*belief);
  ASSERT_EQ(asked.size(), 1u);
  Writer out;
  belief->save(out);
  belief = forgetting("auto", asked, 0);
  Reader in(out.bytes(), "test");
  belief->load(in);
  observe(*belief);
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[1].last, asked[0].last + 1);
  observe(*belief);
  EXPECT_EQ(asked.size(), 2u);

  asked.clear();
  belief = forgetting("window:16", asked, 1);
  for (int i = 0; i < 16; ++i) observe(*belief);
  EXPECT_TRUE(asked.empty());
  for (int i = 0; i < 2; ++i) observe(*belief);
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[1].last, 16u);
}

// A batch is judged by what was known before it, and nothing that comes with a change is judged twice.
TEST(Forget, AutoJudgesABatchByWhatWasKnownBefore) {
  std::vector<Retention> asked;
  const auto belief = forgetting("auto", asked, 0);
  Stream stream(9, Purpose::theory);
  const auto observe = [&](std::size_t count, double slope) {
    std::vector<std::vector<double>> x;
    std::vector<Finished> rounds;
    for (std::size_t i = 0; i < count; ++i) x.push_back(random_numbers(stream, d));
    for (std::size_t i = 0; i < count; ++i) rounds.push_back({{x[i]}, slope * x[i][0] + 0.01 * stream.normal()});
    belief->observe(rounds);
  };
  observe(2000, 0);
  observe(2000, 1);  // nobody could know
  EXPECT_TRUE(asked.empty());
  observe(200, 1);
  ASSERT_EQ(asked.size(), 1u);
}

// From the 600th round on rewards are ten times as large and lie at 50, and mean something else. What was learned before
// is let go of, and so is the scale on which it was: on the old one the new rewards are as far away as numbers can be, and
// forecasts of 4 were all there was.
TEST(Forget, TheScaleOfWhatWasLetGoGoesToo) {
  const auto policy = make_policy({.name = "neural-ts", .shape = {.length = d, .blocks = 4}});
  Stream stream(9, Purpose::theory);
  const auto truth = [](const std::vector<double>& x, bool late) { return late ? 50 + 10 * x[1] : x[0]; };
  for (std::size_t i = 0; i < 640; ++i) {
    const auto x = random_numbers(stream, d);
    const Finished round{{x, i % 13 < 10 ? 0 : i % 13 - 9}, truth(x, i >= 600) + 0.1 * stream.normal()};
    policy->learn({&round, 1});
  }
  ASSERT_EQ(policy->notes().size(), 1u);
  Stream explore(1, Purpose::exploration);
  Scratch scratch;
  Decision decision;
  const auto x = random_numbers(stream, d);
  policy->select(Contexts::disjoint(x, 4), explore, scratch, decision);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(decision.mean[k], truth(x, true), 10) << k;
}

}  // namespace
}  // namespace neuralts
