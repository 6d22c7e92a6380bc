// What simulations have in common: a clock that is told the time, and the checks of what was learned against a
// naive reading.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "serve/service.hpp"

namespace neuralts::serve {

class SimClock final : public Clock {
 public:
  std::int64_t now_us() const override { return now; }
  std::int64_t ticks_us() const override { return ticks; }
  void pass(std::int64_t us) { now += us, ticks += us; }
  std::int64_t now = 1'700'000'000'000'000, ticks = 0;
};

/// A promise that was not kept.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A world's history: `steps` steps, then finish(), which heals and checks. What breaks stands in the report
/// with the seed.
template <class World>
auto history_of(std::uint64_t seed, std::size_t steps) {
  World world(seed);
  try {
    for (std::size_t i = 0; i < steps; ++i) world.step();
    return world.finish();
  } catch (const std::exception& broken) {
    world.report_.failure = fmt::format("seed {}: {}", seed, broken.what());
    return world.report_;
  }
}

std::vector<Record> records_of(Journal& journal, std::uint32_t loop);
/// What the learner says it has joined is what one would join who looks at all later records for every event.
/// Throws Broken.
void check_join(Journal& journal, const LoopRuntime& runtime);
/// The learned bytes are those of a replay without checkpoints, in stretches of any length. Drops the
/// checkpoint. Throws Broken.
void check_replay(Journal& journal, LoopRuntime& runtime, const Clock& clock, const Log& log, Stream& chance);

}  // namespace neuralts::serve
