// One decision as it is logged, served and judged: what was offered, what was chosen and how likely, what it
// earned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "neuralts/context.hpp"
#include "neuralts/fields.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

/// What a decision was made from: numbers (a vector per arm, or one x in the arms' blocks), or objects, or both.
struct Offer {
  /// A row of `length` per arm, or one row that all share; empty: there are objects only.
  std::vector<double> numbers{};
  std::size_t length = 0;               ///< of a context
  std::vector<std::uint32_t> blocks{};  ///< the arms' blocks where they share one row; empty: a row per arm
  /// Row 0: the shared context; row 1 + k: action k. Empty: there are numbers only.
  FieldTable objects{};

  bool has_numbers() const { return length > 0; }
  bool has_objects() const { return !objects.empty(); }
  /// The numbers as a policy takes them; a view. REQUIRES has_numbers().
  Contexts contexts() const;
  void clear();
};

struct Event {
  std::string id;                       ///< names the decision, so that a reward can find it; may be empty
  double time = 0;                      ///< of the decision, seconds since 1970; 0: unknown
  std::string model;                    ///< which made it; may be empty
  std::vector<std::string> actions;     ///< the ids of what was offered; empty: positions are all there is
  Offer offer;
  std::size_t arm = 0;                  ///< that was chosen: a position among those offered
  /// Of every arm offered; they sum to 1. One entry only: that of `arm` is all that is known.
  std::vector<double> probabilities;
  bool estimated = false;               ///< the probabilities are an estimate
  std::optional<double> reward;         ///< nothing: none has come (yet)
  double reward_time = 0;               ///< seconds since 1970; 0: unknown, or with the decision
  /// The share of such events that the log kept: the event stands for 1 / kept events.
  double kept = 1;

  std::size_t arms() const { return arms_; }
  void set_arms(std::size_t arms) { arms_ = arms; }
  /// With which `arm` was chosen.
  double probability() const { return probabilities.size() == 1 ? probabilities[0] : probabilities[arm]; }
  /// Back to a fresh event that keeps its memory.
  void clear();

 private:
  std::size_t arms_ = 0;
};

/// Nothing when the event is sound: at least one arm, `arm` among them, sizes that agree, probabilities in [0,
/// 1] that sum to 1 (within 1e-6), that of `arm` above 0, kept in (0, 1], finite numbers. Otherwise what is
/// wrong with it.
std::optional<std::string> problem_of(const Event& event);

}  // namespace neuralts
#pragma GCC visibility pop
