#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <vector>

namespace neuralts {
namespace {

TEST(ParallelFor, TakesEveryTurnOnceFromAnyNumberOfThreads) {
  for (std::size_t threads : {0, 1, 3, 8})
    for (std::size_t count : {0, 1, 2, 1000}) {
      std::vector<int> taken(count, 0);
      parallel_for(count, threads, [&](std::size_t i) { ++taken[i]; });
      EXPECT_EQ(taken, std::vector<int>(count, 1));
    }
}

TEST(ParallelFor, ThrowsWhatATurnOfItsThreadsThrew) {
  EXPECT_THROW(parallel_for(100, 4,
                            [](std::size_t i) {
                              if (i == 17) throw std::runtime_error("turn 17");
                            }),
               std::runtime_error);
}

TEST(Crew, TakesEveryTurnOfEveryLoopOnceFromItsThreads) {
  for (std::size_t threads : {0, 1, 3, 8}) {
    Crew crew(threads);
    for (int loop = 0; loop < 200; ++loop)
      for (std::size_t count : {0, 1, 2, 50}) {
        std::vector<int> taken(count, 0);
        crew.run(count, [&](std::size_t i) { ++taken[i]; });
        ASSERT_EQ(taken, std::vector<int>(count, 1));
      }
  }
}

TEST(Crew, GoesOnAfterATurnOfItsThreadsThrew) {
  Crew crew(4);
  EXPECT_THROW(crew.run(100,
                        [](std::size_t i) {
                          if (i == 17) throw std::runtime_error("turn 17");
                        }),
               std::runtime_error);
  std::vector<int> taken(10, 0);
  crew.run(10, [&](std::size_t i) { ++taken[i]; });
  EXPECT_EQ(taken, std::vector<int>(10, 1));
}

}  // namespace
}  // namespace neuralts
