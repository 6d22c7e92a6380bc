// Saved sessions of several kinds, early and late, by their names: where the fuzzer and the test of forged
// files begin.
#pragma once

#include <map>
#include <string>

#include "fuzz/session_targets.hpp"

namespace neuralts::fuzz {

/// After `rounds` decisions of which every second has its reward and the others wait for theirs, as parts of
/// a body (sealed_bytes.hpp).
inline std::string session_seed(const std::string& policy, std::size_t most_arms, int rounds) {
  SessionSpec spec{.policy = {.name = policy, .preset = policy == "random" ? "" : "paper"},
                   .most_arms = most_arms,
                   .id_prefix = "s",
                   .remember = 2};
  spec.features.events = 4;
  spec.features.interactions = policy == "random";  // a fuzzer takes a few thousand bytes
  Session session(spec);
  for (int i = 0; i < rounds; ++i) {
    const Choice choice = session.select(visit(i % 2 == 0 ? "DE" : "FR"), i);
    if (i % 2 == 0) session.reward(choice.event_id, 1, i);
  }
  session.retire("b");
  const auto bytes = session.to_bytes();
  return parts_of(body_of({bytes.data(), bytes.size()}));
}

inline std::map<std::string, std::string> session_seeds() {
  std::map<std::string, std::string> seeds;
  for (const char* policy : {"random", "linear-ts", "linear-ucb"})
    for (const std::size_t most_arms : {0, 3})
      for (const int rounds : {0, 2, 6})
        seeds[std::string(policy) + (most_arms > 0 ? "_named_" : "_") + std::to_string(rounds)] =
            session_seed(policy, most_arms, rounds);
  return seeds;
}

}  // namespace neuralts::fuzz
