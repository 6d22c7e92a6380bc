#include "model/schedule.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace neuralts {
namespace {

Schedule parsed(const std::string& text) {
  Schedule schedule;
  EXPECT_TRUE(Schedule::parse(text, schedule)) << text;
  return schedule;
}

std::vector<std::size_t> trainings(Schedule schedule, std::size_t rounds, double log_det_per_round = 0) {
  std::vector<std::size_t> at;
  for (std::size_t t = 1; t <= rounds; ++t)
    if (const double log_det = log_det_per_round * static_cast<double>(t); schedule.due(t, log_det)) {
      at.push_back(t);
      schedule.done(t, log_det);
    }
  return at;
}

std::vector<std::size_t> trainings(const std::string& text, std::size_t rounds, double log_det_per_round = 0) {
  return trainings(parsed(text), rounds, log_det_per_round);
}

TEST(Schedule, TrainsWhenItsFormSays) {
  using Rounds = std::vector<std::size_t>;
  EXPECT_EQ(trainings("every:1", 4), (Rounds{1, 2, 3, 4}));
  EXPECT_EQ(trainings("every:3", 10), (Rounds{3, 6, 9}));
  EXPECT_EQ(trainings("every:2..4", 10), (Rounds{2, 4, 6, 8, 10}));
  const Rounds more_and_more = trainings("every:2..4", 30'000);  // by 2 to 15,000, by 3 to 20,000, then by 4
  EXPECT_NEAR(static_cast<double>(more_and_more.size()), 15'000 / 2. + 5000 / 3. + 10'000 / 4., 2);
  EXPECT_EQ(more_and_more.back() - more_and_more[more_and_more.size() - 2], 4u);
  EXPECT_EQ(trainings("every:1..3/4", 20), (Rounds{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18}));
  EXPECT_EQ(trainings("geometric:0.5", 20), (Rounds{1, 2, 3, 5, 8, 12, 18}));
  EXPECT_EQ(trainings("logdet:1", 8, 0.4), (Rounds{1, 4, 7}));
  EXPECT_EQ(trainings("never", 5), Rounds{});
}

TEST(Schedule, IsSlowedToAPaceAndNoFurther) {
  const auto slowed = [](const char* text) {
    Schedule schedule = parsed(text);
    schedule.slow_to(4);
    return trainings(schedule, 20);
  };
  EXPECT_EQ(slowed("every:1"), trainings("every:4", 20));
  EXPECT_EQ(slowed("every:7"), trainings("every:7", 20));
  EXPECT_EQ(slowed("every:1..6/3"), trainings("every:4..6/3", 20));
  EXPECT_EQ(slowed("every:1..2/3"), trainings("every:4", 20));
}

TEST(Schedule, RefusesOtherForms) {
  Schedule schedule;
  for (const char* text : {"", "every", "every:0", "every:x", "every:4..2", "every:2..", "every:..2",
                           "every:3/10", "every:1..3/", "every:1..3/0", "every:1..3/x", "geometric:1..2", "geometric:-1", "sometimes:2", "never:1", "logdet:"})
    EXPECT_FALSE(Schedule::parse(text, schedule)) << text;
}

}  // namespace
}  // namespace neuralts
