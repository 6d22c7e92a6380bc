// Where a thread stands among others: the rule, and what the system says of a thread that follows it.
#include <gtest/gtest.h>

#ifdef __linux__
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

#include <chrono>
#include <thread>
#include <vector>

#include "serve/standing_back.hpp"

namespace neuralts::serve {

TEST(StandingTest, WhoStarvesComesForwardAtOnce) {
  ShareMeter meter;
  meter.count(1'000, 99'999);
  EXPECT_EQ(meter.next(Standing::last), Standing::last) << "a tenth of a second is not over";
  meter.count(9'001, 1);
  EXPECT_EQ(meter.next(Standing::last), Standing::last) << "a tenth of it";
  meter.count(9'999, 100'000);
  EXPECT_EQ(meter.next(Standing::last), Standing::low);
}

TEST(StandingTest, WhoHasEnoughForTwoSecondsGoesBack) {
  ShareMeter meter;
  const auto periods = [&](int count, std::int64_t had_us) {
    for (int i = 0; i < count; ++i) meter.count(had_us, 100'000);
    return meter.next(Standing::low);
  };
  EXPECT_EQ(periods(19, 25'000), Standing::low);
  EXPECT_EQ(periods(1, 24'000), Standing::low) << "a break";
  EXPECT_EQ(periods(19, 25'000), Standing::low);
  EXPECT_EQ(periods(1, 25'000), Standing::last);
}

TEST(StandingTest, StepsAreTakenOneAfterAnotherUntilTheLast) {
  std::vector<int> steps;
  run_standing_back("steps", [&](ShareMeter&) {
    steps.push_back(static_cast<int>(steps.size()));
    return steps.size() < 5;
  });
  EXPECT_EQ(steps, (std::vector{0, 1, 2, 3, 4}));
}

#ifdef __linux__
// A step that sleeps while it says that it works is as one that got no processor.
TEST(StandingTest, TheSystemKnows) {
  std::vector<int> classes;
  run_standing_back("starving", [&](ShareMeter& meter) {
    EXPECT_EQ(::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid())), 10);
    classes.push_back(::sched_getscheduler(0));
    meter.begin();
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
    meter.end();
    return classes.size() < 3;
  }, Standing::last);
  EXPECT_EQ(classes, (std::vector{SCHED_IDLE, SCHED_OTHER, SCHED_OTHER}));
}
#endif

}  // namespace neuralts::serve
