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

TEST(StandingTest, WhoStarvesComesForwardAndWhoHasEnoughGoesBack) {
  EXPECT_EQ(next_standing(Standing::last, 50'000, 100'000), Standing::last);
  EXPECT_EQ(next_standing(Standing::last, 10'000, 100'000), Standing::last);
  EXPECT_EQ(next_standing(Standing::last, 9'999, 100'000), Standing::low);
  EXPECT_EQ(next_standing(Standing::low, 10'000, 100'000), Standing::low);  // a tenth: others want it all
  EXPECT_EQ(next_standing(Standing::low, 25'000, 100'000), Standing::last);
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
  });
  EXPECT_EQ(classes, (std::vector{SCHED_IDLE, SCHED_OTHER, SCHED_OTHER}));
}
#endif

}  // namespace neuralts::serve
