// What the service reads back: configurations, models, checkpoints, records of a journal and of a spool; as
// functions of bytes: read, or refused with a Problem (4xx) or an Error; anything else is a bug.
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/sealed_bytes.hpp"
#include "serve/field_bytes.hpp"
#include "serve/journal_events.hpp"
#include "serve/loop_learner.hpp"
#include "serve/model_file.hpp"
#include "serve/node/parcel.hpp"
#include "serve/node/spool_journal.hpp"
#include "serve/options_file.hpp"
#include "serve/problem.hpp"
#include "serve/sim_shared.hpp"
#include "serve/stored_loop.hpp"

namespace neuralts::fuzz {

template <class Read>
bool is_taken(const Read& read) {
  try {
    read();
    return true;
  } catch (const serve::Problem& problem) {
    if (problem.status() >= 500) throw std::logic_error("bytes are no fault of the service");
    return false;
  } catch (const Error&) {
    return false;
  }
}

/// The configuration file.
inline bool options(std::string_view text) {
  return is_taken([&] { serve::options_from_toml(text, "input.toml"); });
}

/// A loop's configuration, as it is given and as it is stored: the same when it is written and read again.
inline bool loop(std::string_view text) {
  const bool given = is_taken([&] {
    const serve::LoopConfig config = serve::loop_config_from_json(text);
    if (serve::loop_config_from_json(serve::to_json(config)) != config)
      throw std::logic_error("a loop's configuration changed by writing it");
  });
  const bool stored = is_taken([&] {
    serve::StoredLoop loop = serve::stored_loop_from_json(text);
    if (!loop.deleted) serve::Loop(loop.id, loop.name, std::move(loop.revisions)).current();
  });
  return given || stored;
}

/// Two actions as the seeds' models know them, vectors or objects.
inline serve::Offered offered(serve::Form form, std::uint32_t length) {
  serve::Offered offered;
  offered.ids = {"a", "b"};
  offered.form = form;
  if (form == serve::Form::vectors)
    offered.length = length, offered.vectors.assign(2 * std::size_t{length}, 0.5F);
  if (form != serve::Form::objects) return offered;
  offered.objects.start_row();
  offered.objects.add(Field::of("country", "DE"));
  for (const auto& id : offered.ids) {
    offered.objects.start_row();
    offered.objects.add(Field::of("id", id));
  }
  return offered;
}

/// A stored model decides, or says why it cannot. `parts`: of what lies between its first line and its
/// checksum.
inline bool model(std::string_view parts) {
  return is_taken([&] {
    std::string bytes = "neuralts model 1\n" + joined(parts);
    const std::uint32_t sum = checksum(bytes);
    const serve::Published model = serve::model_from_bytes(
        bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum), "input");
    if (serve::length_of(model) > 4096) return;
    serve::Workspace workspace;
    serve::Verdict verdict;
    serve::decide(model, offered(model.form, model.length), 0.1, 1, workspace, verdict);
    double total = 0;
    for (const float probability : verdict.probabilities) total += probability;
    if (verdict.action > 1 || !(std::abs(total - 1) < 1e-3))
      throw std::logic_error("a decision is not sound");
  });
}

inline const serve::LoopConfig& small_config() {
  static const serve::LoopConfig config = serve::loop_config_from_json(
      R"({"policy":"linear-ts","preset":"paper","features":{"events":2,"automatic":true,"interactions":false},"reward":{"window_seconds":4},"holdout":0.3})");
  return config;
}

/// A loop whose journal lies in memory.
struct SmallLoop {
  serve::SimEngine engine;
  serve::SimShared journal{engine};
  serve::SystemClock clock;
  serve::Log log{clock, {}};
  serve::Loop loop{1, "fuzz", {small_config()}};

  /// At second `time`; of an event or about one.
  void add(serve::Kind kind, std::int64_t time, std::string payload, serve::Sequence target = 0) {
    const serve::Sequence sequence = engine.records.size() + 1;
    engine.records.push_back({{sequence, kind, 1, time * 1'000'000, target, std::move(payload)}, 0, 0});
  }
  void decide(std::int64_t time, serve::Form form) {
    const serve::Offered two = offered(form, 2);
    serve::EventRecord event;
    event.ids = two.ids;
    event.probabilities = {0.5F, 0.5F};
    event.form = two.form;
    event.length = two.length;
    event.vectors = two.vectors;
    if (form == serve::Form::objects) event.objects = serve::field_bytes(two.objects);
    add(serve::Kind::event, time, serve::encode(event));
  }
  void reward(std::int64_t time, serve::Sequence event) {
    add(serve::Kind::reward, time, serve::encode(serve::RewardRecord{1.0}), event);
  }
  /// Five decisions, of which three get rewards.
  void play(serve::Form form) {
    for (int i = 0; i < 5; ++i) {
      decide(2 * i, form);
      if (i < 3) reward(2 * i + 1, 2 * i + 1);
    }
  }
  void learn() {
    serve::LoopLearner learner(loop, journal, clock, log);
    while (learner.step(100, {})) {
    }
    learner.flush();
  }
};

/// A checkpoint after four records of a journal of eight: what comes is learned. `parts`: of its body
/// (sealed_bytes.hpp).
inline bool checkpoint(std::string_view parts) {
  static const std::string real = [] {
    SmallLoop loop;
    loop.learn();
    loop.play(serve::Form::none);
    loop.learn();
    return loop.engine.checkpoints.at(1).bytes;
  }();
  bool taken = true;
  for (const auto form : {serve::Form::vectors, serve::Form::objects})
    taken = is_taken([&] {
              SmallLoop loop;
              loop.play(form);
              loop.engine.checkpoints[1] = {4, with_body(real, joined(parts))};
              loop.learn();
            }) &&
            taken;
  return taken;
}

/// Records of a journal, the checksums of their payloads made right: learned from, and read for an
/// evaluation. Each is a kind, seconds since the one before, a target, a payload without its checksum.
inline bool journal(std::string_view bytes) {
  SmallLoop loop;
  std::int64_t time = 0;
  const bool whole = is_taken([&] {
    Reader in({bytes.data(), bytes.size()}, "input");
    while (!in.at_end()) {
      const auto kind = in.value<serve::Kind>();
      time += in.value<std::uint8_t>();
      const auto target = in.value<std::uint8_t>();
      std::string payload = in.text();
      const std::uint32_t sum = checksum(payload);
      loop.add(kind, time, payload.append(reinterpret_cast<const char*>(&sum), sizeof sum), target);
    }
  });
  const bool learned = is_taken([&] { loop.learn(); });
  const bool read = is_taken([&] {
    serve::JournalEvents events(
        [&] { return loop.journal.reader(); }, 1,
        [&](std::uint32_t revision) -> const serve::LoopConfig& { return loop.loop.config(revision); },
        (time + 100) * 1'000'000);
    for (Event event; events.next(event);)
      if (event.arm >= event.arms() || event.probabilities.size() != event.arms() ||
          !(event.probability() > 0))
        throw std::logic_error("an event is not sound");
  });
  return whole && learned && read;
}

/// What a spool holds for the shared journal, and what it remembers of a model.
inline bool spool(std::string_view bytes) {
  const bool parcel = is_taken([&] {
    std::vector<serve::Parcel> parcels{{1, 1'000'000, serve::unwrap(bytes)}};
    if (serve::wrap(parcels[0].entry) != bytes) throw std::logic_error("a parcel changed by wrapping it");
    SmallLoop shared;
    shared.play(serve::Form::vectors);
    shared.journal.ship(shared.journal.writer("node", 0), parcels, 1);
  });
  const bool remembered = is_taken([&] {
    SmallLoop spool, shared;
    spool.engine.settings["copy/model/1"] = std::string(bytes);
    serve::SpoolJournal journal(spool.journal, shared.journal, spool.clock, 1);
    shared.journal.cut = true;
    for (const serve::StoredModel& model : journal.models(1)) journal.model(1, model.version);
  });
  return parcel || remembered;
}

}  // namespace neuralts::fuzz
