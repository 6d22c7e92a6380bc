// What a service stores after a few decisions: where the fuzzers and the test of forged bytes begin.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "fuzz/serve_targets.hpp"

namespace neuralts::fuzz {

/// By target and name.
using ServeSeeds = std::map<std::pair<std::string, std::string>, std::string>;

inline std::string text_of(const Writer& out) { return {out.bytes().begin(), out.bytes().end()}; }

inline std::string journal_seed(const SmallLoop& loop) {
  Writer out;
  std::int64_t time_us = 0;
  for (const auto& [record, writer, origin] : loop.engine.records) {
    constexpr std::size_t sum = 4;
    out.value(record.kind);
    out.value(static_cast<std::uint8_t>((record.time_us - time_us) / 1'000'000));
    out.value(static_cast<std::uint8_t>(record.target));
    out.text(record.payload.substr(0, record.payload.size() - sum));
    time_us = record.time_us;
  }
  return text_of(out);
}

inline std::string remembered(const serve::StoredModel& model) {
  Writer out;
  out.value(model.version);
  out.value(model.position);
  out.value(model.time_us);
  for (const std::string* text : {&model.sha256, &model.note, &model.bytes}) out.text(*text);
  return text_of(out);
}

inline void add_loop(ServeSeeds& seeds, const std::string& name, serve::Form form) {
  SmallLoop loop;
  loop.play(form);
  seeds[{"journal", name}] = journal_seed(loop);
  loop.engine.records.resize(4);
  loop.learn();
  seeds[{"checkpoint", name}] = parts_of(body_of(loop.engine.checkpoints.at(1).bytes));
  for (const auto& [version, model] : loop.engine.models[1]) {
    constexpr std::size_t first_line = 17, sum = 4;
    seeds[{"model", name}] = parts_of(
        std::string_view(model.bytes).substr(first_line, model.bytes.size() - first_line - sum));
    seeds[{"spool", name}] = remembered(model);
  }
}

inline ServeSeeds serve_seeds() {
  ServeSeeds seeds;
  add_loop(seeds, "vectors", serve::Form::vectors);
  add_loop(seeds, "objects", serve::Form::objects);
  add_loop(seeds, "none", serve::Form::none);
  for (const auto kind :
       {serve::Kind::event, serve::Kind::reward, serve::Kind::activation, serve::Kind::tick})
    seeds[{"spool", "parcel" + std::to_string(static_cast<int>(kind))}] = serve::wrap(
        {.kind = kind,
         .loop = 1,
         .name = "n",
         .alias = "a",
         .target = kind == serve::Kind::event ? 0U : 1U,
         .writer = 1,
         .key = "k",
         .payload = "p",
         .first_payload = {}});
  return seeds;
}

}  // namespace neuralts::fuzz
