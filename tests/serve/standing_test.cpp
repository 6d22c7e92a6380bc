// Where a thread stands among others: the rule, and what the system says of a thread that follows it.
#include <gtest/gtest.h>

#ifdef __linux__
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "serve/beside_answers.hpp"
#include "serve/place_watch.hpp"
#include "serve/placement.hpp"
#include "serve/processors.hpp"
#include "serve/standing_back.hpp"

namespace neuralts::serve {

TEST(StandingTest, WhoStarvesForASecondComesForward) {
  ShareMeter meter;
  const auto periods = [&](int count, std::int64_t had_us) {
    for (int i = 0; i < count; ++i) meter.count(had_us, 100'000);
    return meter.next(Standing::last);
  };
  EXPECT_EQ(periods(9, 1'999), Standing::last);
  EXPECT_EQ(periods(1, 2'000), Standing::last) << "a break";
  EXPECT_EQ(periods(9, 1'999), Standing::last);
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

TEST(PlaceWatchTest, WhoWaitsForTwoFifthsOfASecondIsFreeForAMinute) {
  Crowding crowding;
  const auto second = [&](std::int64_t waited_us) {
    auto verdict = Crowding::Verdict::stay;
    for (int i = 0; i < 5; ++i) verdict = crowding.judge(200'000, waited_us / 5);
    return verdict != Crowding::Verdict::leave;
  };
  EXPECT_TRUE(second(0));
  EXPECT_TRUE(second(400'000)) << "two fifths are no more than two fifths";
  EXPECT_FALSE(second(400'005));
  for (int i = 0; i < 59; ++i) EXPECT_FALSE(second(0)) << i;
  EXPECT_TRUE(second(0)) << "the minute is over";
  EXPECT_TRUE(second(100'000));
  EXPECT_EQ(crowding.judge(3'000'000, 2'000'000), Crowding::Verdict::leave) << "one long look tells as much as many";
}

TEST(PlaceWatchTest, WhoWaitsForAFifthOfTwoLooksChangesEveryFiveSeconds) {
  Crowding crowding;
  const auto look = [&](std::int64_t waited_us) {
    return crowding.judge(200'000, waited_us) == Crowding::Verdict::change;
  };
  for (int i = 0; i < 24; ++i) EXPECT_FALSE(look(50'000)) << "it has just come";
  EXPECT_FALSE(look(40'000)) << "no more than a fifth";
  EXPECT_FALSE(look(40'001)) << "once";
  EXPECT_TRUE(look(40'001));
  for (int i = 0; i < 24; ++i) EXPECT_FALSE(look(50'000)) << "it has just come";
  EXPECT_TRUE(look(50'000));
}

// One asks for a change, and both go where they belong then.
TEST(PlaceWatchTest, AChangeMovesEverybody) {
  unsigned changes = 0;
  int taken = 0;
  PlaceWatch watch({.take = [&] { return ++taken > 0; }, .leave = [] {}, .changes = [&] { return changes; }});
  watch.look();
  watch.look();
  EXPECT_EQ(taken, 1);
  ++changes;
  watch.look();
  watch.look();
  EXPECT_EQ(taken, 2);
}

TEST(BesideAnswersTest, StaysWhereMostAnswersComeFrom) {
  BesideAnswers beside({3, 7});
  int moves = 0, last = -1;
  const auto answers = [&](int count, int processor) {
    for (int i = 0; i < count; ++i) {
      if (!beside.asks()) continue;
      if (const auto to = beside.came_from(processor)) ++moves, last = *to;
    }
  };
  answers(1000, 5);
  EXPECT_EQ(moves, 0) << "a processor that the thread may not use";
  answers(15, 3);
  answers(16, 7);
  EXPECT_EQ(moves, 0) << "too few to tell";
  answers(1, 7);
  EXPECT_EQ(moves, 1);
  EXPECT_EQ(last, 7);
  answers(10'000, 7);
  EXPECT_EQ(moves, 1) << "it is there";
  answers(1'000, 3);
  EXPECT_EQ(moves, 2) << "the service has changed places";
  EXPECT_EQ(last, 3);
}

TEST(BesideAnswersTest, ElsewhereItDoesNotMatter) {
  for (const auto& processors : {std::vector<int>{}, {0}, {0, 1, 2}}) EXPECT_FALSE(BesideAnswers(processors).asks());
}

#ifdef __linux__
// Two that want all of one processor have half of it each; where nobody is in the way, nobody is freed.
TEST(PlaceWatchThreadsTest, FreesWhoeverIsCrowdedOut) {
  using Clock = std::chrono::steady_clock;
  int released = 0;
  std::atomic<bool> done = false;
  const auto stay_on_the_first = [] { stay_on({usable_processors().data(), 1}); };
  std::thread other([&] {
    stay_on_the_first();
    while (!done) {
    }
  });
  std::thread watched([&] {
    stay_on_the_first();
    PlaceWatch watch({.take = [] { return true; }, .leave = [&] { ++released; }});
    const auto end = Clock::now() + std::chrono::seconds(30);
    while (released == 0 && Clock::now() < end) watch.look();
    done = true;
  });
  watched.join();
  other.join();
  EXPECT_EQ(released, 1);
}

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

/// Where a thread stays that `place` has placed, made by one that stays on the first processor.
template <class Place>
std::vector<int> placed(int first, const Place& place) {
  std::vector<int> found;
  std::thread([&] {
    stay_on({&first, 1});
    std::thread([&] {
      place();
      found = usable_processors();
    }).join();
  }).join();
  return found;
}

TEST(PlacementTest, FewProcessorsHaveTheirThreadsAndManyAreForAll) {
  const auto all = usable_processors();
  const std::size_t count = all.size();
  for (const std::size_t doors : {count - 1, count, count + 1}) {
    if (doors == 0) continue;
    const Placement placement(doors);
    const bool few = doors <= count;
    for (std::size_t i = 0; i < doors; ++i)
      EXPECT_EQ(placed(all[0], [&] { placement.door(i); }), few ? std::vector{all[i]} : all);
    EXPECT_EQ(placed(all[0], [&] { placement.committer(); }), doors < count ? std::vector{all.back()} : all);
    EXPECT_EQ(placed(all[0], [&] { placement.anywhere(); }), all);
    EXPECT_EQ(placement.exchange(), doors == 1 && count == 2);
    if (placement.exchanges() == 0) continue;
    EXPECT_EQ(placed(all[0], [&] { placement.door(0); }), std::vector{all[1]});
    EXPECT_EQ(placed(all[0], [&] { placement.committer(); }), std::vector{all[0]});
  }
}
#endif

}  // namespace neuralts::serve
