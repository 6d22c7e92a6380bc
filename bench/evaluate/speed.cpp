// A million judged events: ips, snips, dr with given predictions and a confidence sequence, each alone and
// together, on one core; and how fast a log is read: 100,000 decisions between ten vectors of twenty numbers.
// Processor seconds.
#include <fmt/core.h>

#include <ctime>
#include <filesystem>
#include <functional>

#include "evaluate/estimator.hpp"
#include "evaluate/known_worlds.hpp"
#include "evaluate/likelihood.hpp"
#include "evaluate/sequence.hpp"
#include "neuralts/log.hpp"

namespace {

using namespace neuralts::evaluation;

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void measure(const char* name, const std::function<double()>& work) {
  const double start = seconds();
  const double value = work();
  fmt::print("{:<34} {:.3f} s  ({:.6f})\n", name, seconds() - start, value);
}

double mean_of(const std::vector<Judged>& events, const char* name) {
  MeanEstimator estimator(*find_form(name));
  for (const Judged& event : events) estimator.add(event);
  return estimator.value() + 0 * estimator.error();
}

template <class Side>
double sequence_of(const std::vector<Judged>& events, double k) {
  ConfidenceSequence<Side> sequence({0, 1}, 0.95, k);
  for (const Judged& event : events) sequence.add(event);
  return sequence.interval().low;
}

void measure_reading() {
  const auto path = (std::filesystem::temp_directory_path() / "neuralts-bench-log.jsonl").string();
  neuralts::Stream stream(1, neuralts::Purpose::environment);
  {
    neuralts::LogWriter log(path, {.append = false});
    neuralts::Event event;
    for (int i = 0; i < 100'000; ++i) {
      event.clear();
      event.id = "event" + std::to_string(i);
      event.set_arms(10);
      event.arm = 3, event.reward = 0.5, event.probabilities.assign(10, 0.1);
      event.offer.length = 20;
      for (int k = 0; k < 200; ++k) event.offer.numbers.push_back(stream.normal());
      log.write(event);
    }
  }
  const double megabytes = static_cast<double>(std::filesystem::file_size(path)) / 1e6, start = seconds();
  neuralts::LogReader reader(path);
  std::size_t events = 0;
  for (neuralts::Event event; reader.next(event);) ++events;
  fmt::print("reading {} events: {:.0f} MB at {:.0f} MB/s\n", events, megabytes, megabytes / (seconds() - start));
  std::filesystem::remove(path);
}

}  // namespace

int main() {
  measure_reading();
  const auto events = learning_log(1'000'000, 1, 2).events;
  measure("ips", [&] { return mean_of(events, "ips"); });
  measure("snips", [&] { return mean_of(events, "snips"); });
  measure("dr", [&] { return mean_of(events, "dr"); });
  measure("empirical Bernstein, both sides", [&] { return sequence_of<EmpiricalBernstein>(events, 2); });
  measure("betting, both sides", [&] { return sequence_of<Betting>(events, 2); });
  measure("ips, snips, dr, Bernstein, betting", [&] {
    return mean_of(events, "ips") + mean_of(events, "snips") + mean_of(events, "dr") +
           sequence_of<EmpiricalBernstein>(events, 2) + sequence_of<Betting>(events, 2);
  });
  measure("likelihood interval", [&] {
    std::vector<double> weights, terms;
    for (const Judged& event : events)
      weights.push_back(event.weight), terms.push_back(event.weight * event.reward);
    return likelihood_interval({weights, terms, {0, 14}}, 0.95).low;
  });
}
