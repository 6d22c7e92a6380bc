// Events in memory, made by a small world whose values are known.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "neuralts/evaluate.hpp"
#include "neuralts/random.hpp"

namespace neuralts {

class MemoryEvents final : public EventSource {
 public:
  std::vector<Event> all;
  void rewind() override { at_ = 0; }
  bool next(Event& out) override {
    if (at_ == all.size()) return false;
    out = all[at_++];
    return true;
  }

 private:
  std::size_t at_ = 0;
};

/// Three actions that share x in {0, 1}^2 with a constant; action b earns 1 with probability chance(x, b).
/// Logged with probabilities that depend on x. `open`: every tenth reward is missing.
struct SmallWorld {
  static double chance(double x, std::size_t b) {
    constexpr std::array<std::array<double, 3>, 2> table{{{0.2, 0.5, 0.7}, {0.8, 0.3, 0.4}}};
    return table[x > 0.5 ? 1 : 0][b];
  }
  static std::vector<double> logged(double x) {
    return x > 0.5 ? std::vector{0.5, 0.3, 0.2} : std::vector{0.25, 0.25, 0.5};
  }

  static MemoryEvents events(std::size_t n, std::uint64_t seed, bool open = false) {
    Stream stream(seed, Purpose::environment);
    MemoryEvents source;
    for (std::size_t i = 0; i < n; ++i) {
      const double x = stream.below(2) == 1 ? 1 : 0;
      Event event;
      event.id = "e" + std::to_string(i);
      event.time = 1000 + static_cast<double>(i);
      event.offer.numbers = {x, 1 - x, 0.5};
      event.offer.length = 3;
      event.offer.blocks = {0, 1, 2};
      event.set_arms(3);
      event.actions = {"red", "green", "blue"};
      event.probabilities = logged(x);
      for (double left = stream.uniform(); event.arm < 2 && left >= event.probabilities[event.arm]; ++event.arm)
        left -= event.probabilities[event.arm];
      const bool won = stream.uniform() < chance(x, event.arm);
      if (!open || i % 10 != 9) event.reward = won ? 1 : 0;
      source.all.push_back(event);
    }
    return source;
  }
};

inline const std::vector<std::string> all_estimators = {"ips",        "clipped",      "snips",  "dm",
                                                        "dr",         "sndr",         "switch", "dr-shrinkage",
                                                        "likelihood", "cressie-read", "replay"};

}  // namespace neuralts
