// Before a model is published: is it sound, and no worse than the one that serves?
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "neuralts/archive.hpp"
#include "serve/policy_port.hpp"

namespace neuralts::serve {

/// Keeps the newest rounds that were held out of learning, and judges candidates by them.
class Judge {
 public:
  void add(const std::vector<double>& context, double reward);
  /// Why `candidate` must not serve: a prediction that is not finite, or a squared error above that of
  /// `current` (may be nothing) by more than three standard errors of the paired differences. Nothing: it may.
  std::optional<std::string> refusal(const DecisionModel* current, const DecisionModel& candidate) const;
  std::size_t size() const { return held_.size(); }
  /// Whether all rounds are of contexts of `length` numbers.
  bool judges(std::size_t length) const;
  void save(Writer& out) const;
  void restore(Reader& in);

 private:
  struct Held {
    std::vector<double> context;
    double reward;
  };
  std::deque<Held> held_;
};

}  // namespace neuralts::serve
