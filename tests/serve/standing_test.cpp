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
#include "serve/thread_role.hpp"

namespace neuralts::serve {

TEST(StandingTest, WhoStarvesForASecondComesForward) {
  ShareMeter meter;
  const auto periods = [&](int count, std::int64_t had_us) {
    for (int i = 0; i < count; ++i) meter.count(had_us, 100'000);
    return meter.next(Standing::last);
  };
  EXPECT_EQ(periods(9, 4'999), Standing::last);
  EXPECT_EQ(periods(1, 5'000), Standing::last) << "a break";
  EXPECT_EQ(periods(9, 4'999), Standing::last);
  meter.count(0, 99'999);
  EXPECT_EQ(meter.next(Standing::last), Standing::last) << "the second is not over";
  meter.count(0, 1);
  EXPECT_EQ(meter.next(Standing::last), Standing::low);
}

TEST(StandingTest, AStepThatLastsForASecondTellsAsMuchAsMany) {
  ShareMeter meter;
  meter.count(1'000, 999'999);
  EXPECT_EQ(meter.next(Standing::last), Standing::last);
  meter = {};
  meter.count(1'000, 1'000'000);
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
    step_aside();
    if (classes.size() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(1050));
    meter.end();
    return classes.size() < 3;
  });
  EXPECT_EQ(classes, (std::vector{SCHED_IDLE, SCHED_OTHER, SCHED_OTHER}));
}

std::vector<int> processors_of(const cpu_set_t& set) {
  std::vector<int> all;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(processor, &set)) all.push_back(processor);
  return all;
}

TEST(StandingTest, ThreadsHaveAProcessorEachWhereThereIsOneForEach) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  const auto all = processors_of(before);
  for (const std::size_t count : {all.size(), all.size() + 1})
    for (std::size_t number = 0; number < all.size(); ++number)
      std::thread([&] {
        take_own_processor(number, count);
        cpu_set_t after;
        ASSERT_EQ(::sched_getaffinity(0, sizeof after, &after), 0);
        EXPECT_EQ(processors_of(after), count == all.size() ? std::vector{all[number]} : all);
      }).join();
}
#endif

}  // namespace neuralts::serve
