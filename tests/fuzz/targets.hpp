// Every reader as a function of bytes: reads, or throws Error(bad_input); anything else is a bug. Shared by the
// fuzzers and the test that runs their corpus.
#pragma once

#include <cmath>
#include <string_view>
#include <vector>

#include "log/logged.hpp"
#include "data/table.hpp"
#include "neuralts/error.hpp"
#include "neuralts/feature.hpp"

namespace neuralts::fuzz {

/// What a reader promises of the table it returns.
inline void visit(const Table& table) {
  std::vector<double> row(table.features.columns());
  for (std::size_t i = 0; i < table.features.rows(); ++i) table.features.row(i, row);
  for (const auto label : table.labels)
    if (label >= table.classes.size()) throw std::logic_error("a label is not a class");
  if (table.columns.size() != table.features.columns() || table.labels.size() != table.features.rows())
    throw std::logic_error("sizes disagree");
}

inline void visit(const Log& log) {
  std::vector<double> row(log.shape.length);
  for (const auto& event : log.events()) {
    if (event.arm >= event.arms) throw std::logic_error("an arm that was not offered");
    for (std::size_t i = 0; i < (event.shared ? 1 : event.arms); ++i) log.row(event.first_row + i, row);
    for (const auto block : event.shared ? log.blocks(event) : std::span<const std::uint32_t>())
      if (block >= log.shape.blocks) throw std::logic_error("a block that is not there");
  }
}

/// True: read; false: refused as bad input.
template <class Read>
bool survives(const Read& read) {
  try {
    visit(read());
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input) throw;
    return false;
  }
}

inline bool csv(std::string_view bytes) {
  return survives([&] { return read_csv(*text_source(bytes, "input"), {}); });
}
inline bool arff(std::string_view bytes) {
  return survives([&] { return read_arff(*text_source(bytes, "input"), {}); });
}
inline bool libsvm(std::string_view bytes) {
  return survives([&] { return read_libsvm(*text_source(bytes, "input")); });
}
inline bool log(std::string_view bytes) {
  return survives([&] {
    LogReader reader(bytes, "input");
    return collect_log(reader);
  });
}
/// A log of decisions between objects: a schema is learned from all of them, saved and loaded; then each is
/// encoded, twice alike.
inline bool feature(std::string_view bytes) {
  LogReader reader(bytes, "input", {.skip_bad = true});
  std::vector<FieldTable> seen;
  SchemaLearner learner;
  try {
    for (Event event; reader.next(event);) {
      if (!event.offer.has_objects()) continue;
      learner.see(event.offer.objects);
      seen.push_back(event.offer.objects);
    }
    const Schema schema = learner.schema();
    if (Schema::from_json(schema.to_json()) != schema) throw std::logic_error("a schema changed by saving it");
    const Encoder encoder(schema), again(Schema::from_json(schema.to_json()));
    for (const auto& objects : seen) {
      std::vector<double> numbers((objects.rows() - 1) * encoder.length()), twice = numbers;
      encoder.encode(objects, numbers);
      again.encode(objects, twice);
      for (std::size_t i = 0; i < numbers.size(); ++i)
        if (!(numbers[i] == twice[i]) || !(std::abs(numbers[i]) <= 1e6))
          throw std::logic_error("an encoding is not sound");
    }
  } catch (const ContractError&) {
    return false;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input) throw;
    return false;
  }
  return !seen.empty();
}
/// The first byte says how many of the others are the labels' file.
inline bool idx(std::string_view bytes) {
  if (bytes.empty()) return false;
  const std::size_t labels = std::min<std::size_t>(static_cast<unsigned char>(bytes[0]), bytes.size() - 1);
  const auto second = bytes.substr(1, labels), first = bytes.substr(1 + labels);
  std::vector<IdxPart> parts;
  parts.push_back({text_source(first, "images"), text_source(second, "labels")});
  return survives([&] { return read_idx(parts); });
}

}  // namespace neuralts::fuzz
