#include "policy/standardised_params.hpp"

#include <algorithm>

namespace neuralts {

namespace {
constexpr std::size_t affordable = std::size_t(8) << 20;  // bytes of rounds that a scale is fitted to
constexpr std::size_t fewest = 256;                       // rounds that tell it
}  // namespace

ParamInfo inputs_info() {
  return {"inputs", "raw", "raw | standardised",
          "standardised: every column centred and scaled by what was observed, so that units and offsets do not matter"};
}

ParamInfo rewards_info() {
  return {"rewards", "raw", "raw | standardised",
          "standardised: rewards centred and scaled, so that nu and lambda mean the same for any unit and offset"};
}

StandardisedSettings read_standardised(const Settings& settings, const Shape& shape, double intercept) {
  StandardisedSettings out{.shape = shape, .standardise = {}, .intercept = intercept};
  out.standardise.inputs = settings.is("inputs", "standardised");
  out.standardise.rewards = settings.is("rewards", "standardised");
  const std::size_t a_round = sizeof(double) * (shape.length + 3);
  out.settled = std::clamp(affordable / a_round, fewest, out.settled);
  return out;
}

// Centre and scale of every column, three moments of every arm.
double least_standardised_state(const PolicySpec& spec, const Settings& settings) {
  const bool inputs = settings.is("inputs", "standardised"), rewards = settings.is("rewards", "standardised");
  return sizeof(double) * ((inputs ? 2.0 * static_cast<double>(spec.shape.length) : 0) +
                           (inputs || rewards ? 3.0 * static_cast<double>(spec.shape.blocks) : 0));
}

}  // namespace neuralts
