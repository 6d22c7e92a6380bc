// How long an experiment will take: short runs of each policy in each world, and the power law through them.
#include <ctime>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "lab/reproduction.hpp"

namespace neuralts {

namespace {

constexpr std::size_t short_rounds = 40, longer_rounds = 80;
constexpr int attempts = 3;          // the shortest counts: the others were disturbed
constexpr double long_enough = 0.1;  // seconds of processor that nothing disturbs much

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of(const Environment& env, RunSpec spec, std::size_t rounds) {
  spec.rounds = rounds;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < attempts; ++i) {
    const double before = processor_seconds();
    run(env, spec);
    least = std::min(least, processor_seconds() - before);
    if (least > long_enough) break;
  }
  return least;
}

/// Costs a round grow at most with the square of the history (a factor solved, a history trained on), so a
/// run's with its cube.
RunTime measure(const Environment& env, const RunSpec& spec) {
  const double a = std::max(1e-6, seconds_of(env, spec, short_rounds)),
               b = std::max(1e-6, seconds_of(env, spec, longer_rounds));
  return {b, std::clamp(std::log2(b / a), 1., 3.), static_cast<double>(longer_rounds)};
}

double seconds_of(const RunTime& time, std::size_t rounds) {
  return time.seconds * std::pow(static_cast<double>(rounds) / time.rounds, time.exponent);
}

}  // namespace

Estimate estimate(const std::vector<RunSpec>& runs, std::size_t jobs, const std::string& data_dir, RunTimes& known) {
  std::map<std::string, std::vector<const RunSpec*>> by_world;
  for (const auto& run : runs) by_world[run.env].push_back(&run);
  Estimate total{.runs = runs.size()};
  for (const auto& [name, specs] : by_world) {
    const auto world = make_environment(name, data_dir);
    for (const RunSpec* spec : specs) {
      const std::string key = name + " " + spec->policy.name + " " + spec->policy.preset;
      if (!known.contains(key)) known[key] = measure(*world, *spec);
      total.seconds += seconds_of(known[key], spec->rounds > 0 ? spec->rounds : world->info().rounds);
    }
  }
  total.seconds /= static_cast<double>(std::max<std::size_t>(1, jobs));
  return total;
}

}  // namespace neuralts
