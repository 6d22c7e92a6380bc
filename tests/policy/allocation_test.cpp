// A decision allocates nothing once its scratch is warm; where memory is short nothing is spoilt.
#include <gtest/gtest.h>

#include <atomic>
#include <cctype>
#include <cstdlib>
#include <new>

#include "neuralts/archive.hpp"
#include "neuralts/policy.hpp"

namespace {
std::atomic<std::size_t> allocations{0};
std::atomic<std::size_t> fails_in{0};  // the allocation that fails, counted from now; 0: none

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  if (fails_in > 0 && --fails_in == 0) return nullptr;
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
void* counted_or_thrown(std::size_t size, std::size_t alignment) {
  if (void* p = counted(size, alignment)) return p;
  throw std::bad_alloc();
}
}  // namespace

#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // GCC 12 sees through one of the two only
// The whole program's, this test program's only.
void* operator new(std::size_t size) { return counted_or_thrown(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return counted(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted_or_thrown(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace neuralts {
namespace {

class Allocation : public testing::TestWithParam<const char*> {};

TEST_P(Allocation, NoneInADecisionAfterWarmUp) {
  const Shape shape{7, 3};
  const auto policy = make_policy({.name = "neural-ts",
                                   .preset = "",
                                   .params = {{"posterior", GetParam()}, {"iterations", "2"}},
                                   .shape = shape});
  Stream stream(1, Purpose::environment), explore(1, Purpose::exploration);
  Scratch scratch;
  Decision decision;
  std::vector<double> x(shape.length);
  const auto select = [&] {
    for (double& value : x) value = stream.normal();
    policy->select(Contexts::disjoint(x, shape.blocks), explore, scratch, decision);
  };
  for (int round = 0; round < 20; ++round) {
    select();
    const Finished finished{{x, decision.arm}, stream.uniform()};
    policy->played(finished.context);
    policy->learn({&finished, 1});
  }
  select();  // warms up: the history has grown since the last one
  const std::size_t before = allocations;
  for (int i = 0; i < 50; ++i) select();
  EXPECT_EQ(allocations, before);
}

INSTANTIATE_TEST_SUITE_P(Posteriors, Allocation, testing::Values("diagonal", "exact"));

/// Whether `call` throws when its n-th allocation fails.
template <class Call>
bool runs_out(std::size_t n, Call&& call) {
  bool thrown = false;
  fails_in = n;
  try {
    call();
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  fails_in = 0;
  return thrown;
}

// Rounds in blocks that are new and in old ones, with a weight, more than one at a time.
class OutOfMemory : public testing::TestWithParam<std::pair<const char*, Params>> {
 protected:
  static constexpr Shape shape{.length = 3, .blocks = 4};
  static std::vector<char> state(const Learner& learner) {
    Writer out;
    learner.save(out);
    return out.bytes();
  }
};

TEST_P(OutOfMemory, ChangesNothing) {
  const auto make = [] {
    return make_learner({.name = GetParam().first, .params = GetParam().second, .shape = shape});
  };
  const auto learner = make(), twin = make();
  Stream stream(1, Purpose::environment);
  std::size_t failures = 0;
  for (std::size_t step = 0; step < 40; ++step) {
    std::vector<double> x(2 * shape.length);
    for (double& value : x) value = stream.normal();
    const std::vector<Finished> rounds = {{{std::span(x).first(3), step % 4}, x[0], step == 9 ? 2.0 : 1.0},
                                          {{std::span(x).last(3), (step / 7) % 4}, x[1]}};
    twin->observe(rounds);
    const auto before = state(*learner);
    for (std::size_t n = 1; runs_out(n, [&] { learner->observe(rounds); }); ++n) {
      ++failures;
      ASSERT_EQ(state(*learner), before) << "round " << step << ", allocation " << n;
    }
    ASSERT_EQ(state(*learner), state(*twin)) << "round " << step;
  }
  EXPECT_GT(failures, 3u);
}

// The promise of learn(): rounds are in or not, a training for which memory is short comes later, and nothing
// is spoilt meanwhile.
TEST_P(OutOfMemory, LeavesATrainingDue) {
  const auto policy = make_policy({.name = GetParam().first, .params = GetParam().second, .shape = shape});
  Stream stream(1, Purpose::environment), explore(1, Purpose::exploration);
  std::vector<double> x(shape.length);
  const auto draw = [&] {
    for (double& value : x) value = stream.normal();
  };
  for (std::size_t n = 1; n <= 60; ++n) {
    draw();
    const Finished round{{x, n % 4}, x[0]};
    const auto before = state(policy->learner());
    if (runs_out(n, [&] { policy->learn({&round, 1}); })) {
      ASSERT_EQ(state(policy->learner()), before) << "allocation " << n;
    }
    Scratch scratch;
    Decision decision;
    draw();
    // Throws where a number is not finite.
    policy->select(Contexts::disjoint(x, shape.blocks), explore, scratch, decision);
  }
  draw();
  const Finished last{{x, 0}, x[0]};
  policy->learn({&last, 1});
  EXPECT_FALSE(policy->learner().training_due());
}

TEST_P(OutOfMemory, ADecisionDrawsAgainWhatItDrew) {
  const auto policy = make_policy({.name = GetParam().first, .params = GetParam().second, .shape = shape});
  Stream stream(1, Purpose::environment), explore(1, Purpose::exploration), twin = explore;
  std::vector<double> x(shape.length);
  for (std::size_t round = 0; round < 20; ++round) {
    for (double& value : x) value = stream.normal();
    const Finished finished{{x, round % 4}, x[0]};
    policy->learn({&finished, 1});
  }
  Scratch warm;
  Decision expected;
  policy->select(Contexts::disjoint(x, shape.blocks), twin, warm, expected);
  std::size_t failures = 0;
  for (std::size_t n = 1;; ++n) {
    Scratch scratch;
    Decision decision;
    if (!runs_out(n, [&] { policy->select(Contexts::disjoint(x, shape.blocks), explore, scratch, decision); })) {
      EXPECT_EQ(decision.arm, expected.arm);
      EXPECT_EQ(decision.score, expected.score);
      break;
    }
    ++failures;
  }
  EXPECT_GT(failures, 1u);
  EXPECT_EQ(explore.bits64(), twin.bits64());
}

// A width that grows with the rounds and found no memory has caught up once there is some again.
TEST(ExactWidthOutOfMemory, IsThatOfAllRoundsAfterwards) {
  const Shape shape{.length = 3, .blocks = 2};
  const PolicySpec spec{.name = "neural-ts", .preset = {}, .params = {{"units", "8"}, {"train", "never"}, {"posterior", "exact"}, {"beside", "nothing"},
                                                       {"inputs", "raw"}, {"rewards", "raw"}}, .shape = shape};
  const auto starved = make_policy(spec), twin = make_policy(spec);
  Stream stream(1, Purpose::environment);
  std::vector<double> x(shape.length);
  std::size_t short_of = 0;
  for (std::size_t round = 0; round < 300; ++round) {
    for (double& value : x) value = stream.normal();
    const Finished finished{{x, round % 2}, x[0]};
    twin->learn({&finished, 1});
    fails_in = round % 30 == 7 ? 1 + round / 30 : 0;
    bool refused = false;
    try {
      starved->learn({&finished, 1});
    } catch (const std::bad_alloc&) {
      refused = true;
    }
    if (fails_in == 0 && round % 30 == 7) ++short_of;
    fails_in = 0;
    if (refused) starved->learn({&finished, 1});
  }
  ASSERT_GT(short_of, 3u);
  Stream explore(1, Purpose::exploration);
  Scratch scratch;
  Decision of_starved, of_twin;
  starved->select(Contexts::disjoint(x, shape.blocks), explore, scratch, of_starved);
  twin->select(Contexts::disjoint(x, shape.blocks), explore, scratch, of_twin);
  for (std::size_t k = 0; k < shape.blocks; ++k)
    EXPECT_NEAR(of_starved.width[k], of_twin.width[k], 1e-3 * of_twin.width[k]);
}

// Networks with a training due at every round, whose rounds then wait, and such as never train, whose design
// and ridges grow at once.
const Params small = {{"units", "8"}};
const Params untrained = {{"units", "8"}, {"train", "never"}};
INSTANTIATE_TEST_SUITE_P(
    Policies, OutOfMemory,
    testing::Values(std::pair{"linear-ts", Params{}}, std::pair{"linear-ucb", Params{}},
                    std::pair{"linear-ts", Params{{"forget", "auto"}}},
                    std::pair{"kernel-ts", Params{{"cap", "70"}}},
                    std::pair{"kernel-ucb", Params{{"cap", "20"}, {"at_cap", "replace"}}},
                    std::pair{"neural-ts", small}, std::pair{"neural-ts", untrained},
                    std::pair{"neural-ucb", small},
                    std::pair{
                        "neural-ucb",
                        Params{{"units", "8"}, {"train", "never"}, {"inputs", "raw"}, {"calibrate", "true"}}},
                    std::pair{"neural-ts", Params{{"units", "8"}, {"train", "never"}, {"beside", "nothing"}}},
                    std::pair{"neural-ts", Params{{"units", "8"}, {"posterior", "exact"}}},
                    std::pair{"neural-linear", small}, std::pair{"neural-linear", untrained},
                    std::pair{"neural-greedy", small}, std::pair{"neural-greedy", untrained},
                    std::pair{"bootstrap-nn", small}, std::pair{"bootstrap-nn", untrained}),
    [](const auto& test) {
      std::string name = test.param.first;
      for (const auto& [key, value] : test.param.second) name += "_" + key + "_" + value;
      for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
      return name;
    });

}  // namespace
}  // namespace neuralts
