// What a loop has done and earned, counted from the journal in order: the numbers of the page and of /stats.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "serve/join.hpp"

namespace neuralts::serve {

/// Mean and interval of a number seen n times.
struct Moments {
  double n = 0, sum = 0, squares = 0;
  void add(double x) { n += 1, sum += x, squares += x * x; }
};

/// A value by weights (importance weighting, self-normalised), with what its interval needs.
struct Weighted {
  double n = 0, w = 0, wr = 0, ww = 0, wwr = 0, wwrr = 0;
  void add(double weight, double reward);
  double value() const { return w > 0 ? wr / w : 0; }
  /// Half of a 95 % interval (delta method); 0 while nothing is known.
  double half_width() const;
};

class LoopStats {
 public:
  void event(const Record& record, const EventRecord& event);
  void joined(const Joined& joined, bool learned);
  void misfit() { ++totals_.misfits; }

  nlohmann::json to_json() const;
  void save(Writer& out) const;
  void restore(Reader& in);

 private:
  struct Totals {
    std::uint64_t decisions = 0, explored = 0, shadows = 0, agreed = 0, rewards = 0, defaults = 0,
                  held_out = 0, misfits = 0;
    Moments reward;           // of joined events
    Moments agreed_reward;    // where an apprentice agreed with the baseline
    Weighted baseline;
  };
  struct Bucket {             // ten seconds
    std::int64_t start_us = 0;
    std::uint64_t decisions = 0, explored = 0;
    Moments reward, predicted;
    Weighted baseline, best;
  };
  struct Action {
    std::uint64_t offered = 0, chosen = 0;
    Weighted value;
  };
  struct Version {
    Moments predicted, realised, error;
  };
  Bucket& bucket(std::int64_t time_us);
  std::string best_action() const;

  Totals totals_;
  std::deque<Bucket> buckets_;
  std::deque<std::map<std::string, std::uint64_t>> shares_;   // of the buckets: how often each action was chosen
  std::map<std::string, Action> actions_;
  std::map<std::uint64_t, Version> versions_;
  std::string best_;                                          // constant action, when the newest bucket began
  std::uint64_t delays_[8] = {};                              // below 0.1, 1, 10, 60, 600, 3600, 86400 s, and above
};

}  // namespace neuralts::serve
