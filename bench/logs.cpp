// Logs read and written: bytes a second of processor time. kind 0: ten vectors of 20 numbers; 1: one shared
// vector of 3; 2: objects.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <filesystem>

#include "neuralts/log.hpp"
#include "neuralts/random.hpp"

namespace {

using namespace neuralts;

Event event_of(Stream& stream, std::size_t number, std::int64_t kind) {
  Event event;
  event.id = "e" + std::to_string(number);
  event.time = 1.7e9 + static_cast<double>(number);
  const std::size_t arms = kind == 0 ? 10 : 3;
  event.set_arms(arms);
  event.arm = stream.below(arms);
  event.probabilities.assign(arms, 1.0 / static_cast<double>(arms));
  if (kind == 2) {
    event.offer.objects.start_row();
    event.offer.objects.add(Field::of("country", number % 2 == 0 ? "DE" : "FR"));
    event.offer.objects.add(Field::of("hour", stream.uniform() * 24));
    for (std::size_t k = 0; k < arms; ++k) {
      event.offer.objects.start_row();
      event.offer.objects.add(Field::of("id", "item" + std::to_string(stream.below(50))));
      event.offer.objects.add(Field::of("brand", "brand" + std::to_string(stream.below(9))));
      event.offer.objects.add(Field::of("price", stream.normal()));
    }
    return event;
  }
  event.offer.length = kind == 0 ? 20 : 3;
  if (kind == 1) event.offer.blocks = {0, 1, 2};
  for (std::size_t i = 0; i < event.offer.length * (kind == 0 ? arms : 1); ++i)
    event.offer.numbers.push_back(stream.normal());
  return event;
}

std::string write(const std::string& path, std::int64_t kind, bool late) {
  Stream stream(1, Purpose::environment);
  LogWriter log(path, {.append = false});
  for (std::size_t i = 0; i < (kind == 0 ? 10'000u : 50'000u); ++i) {
    Event event = event_of(stream, i, kind);
    if (!late) event.reward = 0.5;
    log.write(event);
    if (late) log.reward(event.id, 0.5, event.time);
  }
  return path;
}

void read(benchmark::State& state) {
  const std::string path = (std::filesystem::temp_directory_path() / "neuralts-bench-log.jsonl").string();
  write(path, state.range(0), state.range(1) != 0);
  for (auto _ : state) {
    LogReader reader(path);
    std::size_t events = 0;
    for (Event event; reader.next(event);) ++events;
    benchmark::DoNotOptimize(events);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(std::filesystem::file_size(path)));
  std::filesystem::remove(path);
}

BENCHMARK(read)->ArgNames({"kind", "late"})->Args({0, 0})->Args({1, 0})->Args({2, 0})->Args({0, 1})->Args({1, 1})->Args({2, 1})->Unit(benchmark::kMillisecond);

}  // namespace
