// A decision allocates nothing once its scratch is warm.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "neuralts/policy.hpp"

namespace {
std::atomic<std::size_t> allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
void* counted_or_thrown(std::size_t size, std::size_t alignment) {
  if (void* p = counted(size, alignment)) return p;
  throw std::bad_alloc();
}
}  // namespace

// The whole program's, this test program's only.
void* operator new(std::size_t size) { return counted_or_thrown(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) { return counted_or_thrown(size, static_cast<std::size_t>(alignment)); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace neuralts {
namespace {

class Allocation : public testing::TestWithParam<const char*> {};

TEST_P(Allocation, NoneInADecisionAfterWarmUp) {
  const Shape shape{7, 3};
  const auto policy = make_policy({.name = "neural-ts", .preset = "", .params = {{"posterior", GetParam()}, {"iterations", "2"}}, .shape = shape});
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

}  // namespace
}  // namespace neuralts
