// From objects to vectors: ten actions, with so many fields of the context and of each action.
#include <benchmark/benchmark.h>

#include "neuralts/feature.hpp"
#include "neuralts/random.hpp"

namespace {

using neuralts::Field;

// Half of the fields are numbers, half are texts of five values; actions have an id out of fifty.
void add_object(neuralts::FieldTable& table, neuralts::Stream& stream, std::size_t fields,
                const std::string& prefix, bool id) {
  table.start_row();
  if (id) table.add(Field::of("id", "item" + std::to_string(stream.below(50))));
  for (std::size_t i = id; i < fields; ++i) {
    const std::string name = prefix + std::to_string(i);
    if (i % 2 == 1)
      table.add(Field::of(name, stream.normal()));
    else
      table.add(Field::of(name, "value" + std::to_string(stream.below(5))));
  }
}

void encode(benchmark::State& state) {
  neuralts::Stream stream(1, neuralts::Purpose::environment);
  neuralts::SchemaLearner learner;
  std::vector<neuralts::FieldTable> events(300);
  for (auto& event : events) {
    add_object(event, stream, static_cast<std::size_t>(state.range(0)), "context_field", false);
    for (int k = 0; k < 10; ++k)
      add_object(event, stream, static_cast<std::size_t>(state.range(1)), "action_field", true);
    learner.see(event);
  }
  const neuralts::Encoder encoder(learner.schema());
  std::vector<double> out(10 * encoder.length());
  std::size_t next = 0;
  for (auto _ : state) {
    encoder.encode(events[next], out);
    benchmark::DoNotOptimize(out.data());
    next = (next + 1) % events.size();
  }
  state.counters["numbers"] = static_cast<double>(encoder.length());
}

BENCHMARK(encode)->ArgNames({"context", "action"})->Args({0, 20})->Args({10, 10})->Args({10, 20})->Args({20, 20});

}  // namespace
