#include "sim_oracle.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace neuralts::serve {

using nlohmann::json;

std::vector<Record> records_of(Journal& journal, std::uint32_t loop) {
  std::vector<Record> out;
  auto reader = journal.reader();
  for (Sequence at = 0, before = 1; at != before;) before = at, at = reader->read(at, 1000, loop, out);
  return out;
}

namespace {

struct Expected {
  std::uint64_t rewards = 0, defaults = 0, late = 0, not_activated = 0;
  double sum = 0;
};

/// The join, as one would write it first: for every event, all later records.
Expected naive_join(Journal& journal, const Loop& loop) {
  const auto all = records_of(journal, loop.id());
  Expected out;
  for (const Record& event : all) {
    if (event.kind != Kind::event) continue;
    const EventRecord content = decode_event(event.payload);
    const LoopConfig& config = loop.config(content.revision);
    const std::int64_t close_us = event.time_us + config.window_us;
    std::vector<double> rewards;
    bool activated = !content.deferred;
    for (const Record& record : all) {
      if (record.target != event.sequence) continue;
      if (record.time_us >= close_us) {
        out.late += record.kind == Kind::reward;
      } else if (record.kind == Kind::reward) {
        rewards.push_back(decode_reward(record.payload).value);
      } else {
        activated = true;
      }
    }
    if (!activated)
      ++out.not_activated;
    else if (!rewards.empty())
      ++out.rewards, out.sum += aggregate(config.aggregation, rewards);
    else if (config.has_default)
      ++out.defaults, out.sum += config.default_reward;
  }
  return out;
}

}  // namespace

void check_join(Journal& journal, const LoopRuntime& runtime) {
  const json stats = json::parse(runtime.loop.stats());
  const Expected expected = naive_join(journal, runtime.loop);
  const auto same = [&](const char* what, std::uint64_t wanted) {
    if (stats.at(what).get<std::uint64_t>() != wanted)
      throw Broken(fmt::format("{} of loop {}: {} joined, {} expected", what, runtime.loop.name(),
                               stats.at(what).dump(), wanted));
  };
  same("rewards", expected.rewards);
  same("defaults", expected.defaults);
  same("late", expected.late);
  same("not_activated", expected.not_activated);
  if (expected.rewards + expected.defaults > 0) {
    const double n = stats.at("reward").at("n"), value = stats.at("reward").at("value");
    if (std::abs(n * value - expected.sum) > 1e-6) throw Broken("the rewards' sum differs");
  }
}

void check_replay(Journal& journal, LoopRuntime& runtime, const Clock& clock, const Log& log, Stream& chance) {
  const std::string learned = runtime.learner->learned();
  journal.drop_checkpoint(runtime.loop.id());
  Loop fresh(runtime.loop.id(), runtime.loop.name(), runtime.loop.revisions());
  fresh.pinned = true;
  LoopLearner replay(fresh, journal, clock, log);
  while (replay.step(1 + chance.below(100), {})) {
  }
  while (replay.position() < runtime.learner->position() && replay.step(1000, {})) {
  }
  if (replay.learned() != learned)
    throw Broken("a replay of loop " + runtime.loop.name() + " learns something else");
}

}  // namespace neuralts::serve
