// A policy that always plays one action.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "evaluate/target.hpp"

namespace neuralts::evaluation {

/// The action of the id `arm` or, where no action on offer has that id, of that number: an arm's where arms are
/// numbered, else a position from 0. Where it is not on offer every other one is as good.
class ConstantTarget final : public Target {
 public:
  explicit ConstantTarget(std::string arm);
  void probabilities(const Event& event, std::size_t index, std::span<double> out) override;
  /// Throws Error(bad_spec) where no event has offered the action.
  std::vector<std::string> doubts() const override;

 private:
  static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

  std::size_t find(const Event& event) const;
  void remember_names(const Event& event);

  std::string arm_;
  std::size_t number_ = nowhere;
  std::size_t asked_ = 0, absent_ = 0;  // events
  std::vector<std::string> names_;      // of some actions on offer, for the message
};

}  // namespace neuralts::evaluation
