#include "world/synthetic.hpp"

#include <cmath>

namespace neuralts {

std::optional<double> SyntheticEpisode::reward(std::size_t arm) {
  Stream noise(seed_, Purpose::environment, (2 * round_ + 1) | (static_cast<std::uint64_t>(arm) << 40));
  return expected_[arm] + noise_ * noise.normal();
}

Stream SyntheticEpisode::begin_round() { return {seed_, Purpose::environment, 2 * ++round_}; }

void draw_on_sphere(Stream& stream, std::span<double> x) {
  double square = 0;
  for (double& value : x) {
    value = stream.normal();
    square += value * value;
  }
  for (double& value : x) value /= std::sqrt(square);
}

}  // namespace neuralts
