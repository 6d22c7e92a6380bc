// Where a thread stands among others: the rule, and what the system says of a thread that follows it.
#include <gtest/gtest.h>

#ifdef __linux__
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

#include <thread>

#include "serve/standing_back.hpp"

namespace neuralts::serve {

TEST(StandingTest, WhoStarvesComesForwardAndWhoHasEnoughGoesBack) {
  EXPECT_EQ(next_standing(Standing::last, 50'000, 100'000), Standing::last);
  EXPECT_EQ(next_standing(Standing::last, 10'000, 100'000), Standing::last);
  EXPECT_EQ(next_standing(Standing::last, 9'999, 100'000), Standing::low);
  EXPECT_EQ(next_standing(Standing::low, 10'000, 100'000), Standing::low);  // a tenth: others want it all
  EXPECT_EQ(next_standing(Standing::low, 25'000, 100'000), Standing::last);
}

#ifdef __linux__
TEST(StandingTest, TheSystemKnows) {
  std::thread([] {
    StandingBack standing;
    EXPECT_EQ(::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid())), 10);
    EXPECT_EQ(::sched_getscheduler(0), standing.standing() == Standing::last ? SCHED_IDLE : SCHED_OTHER);
    standing.begin();
    std::this_thread::sleep_for(std::chrono::milliseconds(120));  // as if others had the processor
    standing.end();
    EXPECT_EQ(standing.standing(), Standing::low);
    EXPECT_EQ(::sched_getscheduler(0), SCHED_OTHER);
  }).join();
}
#endif

}  // namespace neuralts::serve
