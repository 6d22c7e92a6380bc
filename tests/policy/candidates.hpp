// What the conformance suites run over: every policy of the factory under every preset, and options that take
// another path.
#pragma once

#include <gtest/gtest.h>

#include <map>

#include "neuralts/policy.hpp"

namespace neuralts {

struct Candidate {
  std::string policy, preset;
  Params params{};

  PolicySpec spec(const Shape& shape, std::uint64_t seed = 1) const {
    return {policy, preset, params, shape, seed};
  }
  std::string name() const {
    std::string text = policy + "_" + preset;
    for (const auto& [key, value] : params) text += "_" + key + "_" + value;
    for (char& c : text)
      if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return text;
  }
};

inline void PrintTo(const Candidate& candidate, std::ostream* out) { *out << candidate.name(); }

/// Options no preset sets; keys that a policy lacks are a failure of its test, so the list cannot go stale.
inline std::vector<Candidate> variants() {
  return {
      {"linear-ts", "tuned", {{"draw", "independent"}}},
      {"linear-ts", "tuned", {{"forget", "window:8"}}},
      {"linear-ucb", "tuned", {{"forget", "auto"}}},
      {"neural-ts", "tuned", {{"forget", "window:8"}}},
      {"neural-ts", "tuned", {{"forget", "auto"}}},
      {"neural-ucb", "paper", {{"forget", "discount:0.8"}, {"iterations", "10"}}},
      {"neural-linear", "tuned", {{"forget", "discount:0.9"}, {"iterations", "10"}}},
      {"bootstrap-nn", "tuned", {{"forget", "window:8"}, {"iterations", "10"}}},
      {"neural-greedy", "tuned", {{"forget", "window:8"}, {"iterations", "10"}}},
      {"kernel-ts", "tuned", {{"kernel", "rbf"}, {"cap", "12"}, {"at_cap", "replace"}}},
      {"kernel-ts", "tuned", {{"kernel", "ntk"}, {"depth", "3"}}},
      {"kernel-ucb", "tuned", {{"cap", "10"}}},
      {"neural-ts", "paper", {{"posterior", "exact"}, {"precision", "float64"}, {"iterations", "10"}}},
      {"neural-ts", "paper", {{"posterior", "diagonal"}, {"depth", "3"}, {"units", "20"}, {"iterations", "10"}}},
      {"neural-ts", "tuned", {{"design", "played"}, {"batch", "8"}, {"iterations", "10"}}},
      {"neural-ucb", "tuned", {{"horizon", "doubling"}, {"iterations", "10"}}},
      {"neural-ucb", "paper", {{"train", "logdet:0.5"}, {"moments", "kept"}, {"optimiser", "momentum"}, {"step", "0.00001"}}},
      {"neural-linear", "tuned", {{"draw", "independent"}, {"precision", "float64"}, {"biases", "false"}}},
      {"neural-greedy", "paper", {{"epsilon", "0.3"}, {"epsilon-decay", "0.1"}, {"stop-after", "10"}}},
      {"bootstrap-nn", "released", {{"members", "3"}, {"keep", "0.3"}, {"batch", "8"}, {"precision", "float64"}}},
  };
}

inline std::vector<Candidate> candidates() {
  std::vector<Candidate> all;
  for (const auto& info : policy_catalog())
    for (const auto& [preset, params] : info.presets)  // the theorem's iterations are thousands: a few will do here
      all.push_back({info.name, preset,
                     preset == "theorem" ? Params{{"rounds", "1000"}, {"units", "8"}, {"iterations", "20"}}
                                         : Params{}});
  for (auto& variant : variants()) all.push_back(std::move(variant));
  return all;
}

inline std::string candidate_name(const testing::TestParamInfo<Candidate>& test) { return test.param.name(); }

}  // namespace neuralts
