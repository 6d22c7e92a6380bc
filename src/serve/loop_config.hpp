// What a person says about a loop: which policy, which rewards, how it is run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "neuralts/learner.hpp"

namespace neuralts::serve {

enum class Mode : std::uint8_t {
  online,      // the model's choice is returned, and learned from
  // The baseline (the first action offered) is returned and learned from; the model's choice is logged beside
  // it.
  apprentice,
  logging,     // the baseline is returned and logged; nothing is learned
};

enum class Aggregation : std::uint8_t { earliest, average, median, sum, min, max };

struct LoopConfig {
  // What is learned. A change makes the loop learn its whole journal again.
  std::string policy = "neural-ts";
  std::string preset;
  Params params;
  std::uint64_t seed = 1;
  std::uint32_t length = 0;                ///< of the vectors; 0: whatever the first event has, vectors or objects
  std::string features = "auto";           ///< of objects: "auto", or the schema's JSON (neuralts/feature.hpp)

  // How rewards are joined. Holds for the events decided under it.
  std::int64_t window_us = 600'000'000;    ///< a reward that comes later is kept, not learned
  /// An event without a reward is learned with `default_reward` when its window closes.
  bool has_default = true;
  double default_reward = 0;
  Aggregation aggregation = Aggregation::earliest;

  // How it is run.
  Mode mode = Mode::online;
  /// Share spread evenly over the actions: none is less likely than exploration / K.
  double exploration = 0.02;
  double keep_features = 1;                ///< share of events whose actions are kept with all their features
  /// Share of the rewards that models are judged by instead of learning them.
  double holdout = 0.02;
  double publish_seconds = 1;              ///< a new model at most so often
  double checkpoint_seconds = 30;
  std::int64_t retention_days = -1;        ///< -1: for ever

  bool operator==(const LoopConfig&) const = default;
  /// Both learn the same from the same journal.
  bool learns_like(const LoopConfig& other) const;
};

/// From a JSON object; keys that are absent keep the value they have in `base`. Throws Problem(422) that names
/// the field.
LoopConfig loop_config_from_json(std::string_view text, const LoopConfig& base = {});
std::string to_json(const LoopConfig& config);

/// 1 to 64 of a-z A-Z 0-9 _ - . beginning with a letter or digit.
bool is_loop_name(std::string_view name);

const char* name_of(Mode mode);
const char* name_of(Aggregation aggregation);
/// Throws Problem(422) for an unknown one, naming `field`.
Aggregation aggregation_of(std::string_view text, const std::string& field);
Mode mode_of(std::string_view text, const std::string& field);

}  // namespace neuralts::serve
