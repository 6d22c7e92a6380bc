#include "world/synthetic.hpp"

#include <cmath>
#include <numbers>

namespace neuralts {

namespace {

// Bailey's polar form of Student's t: two uniform numbers make one.
double draw_student(Stream& stream, double freedom) {
  const double u = 1 - stream.uniform(), angle = 2 * std::numbers::pi * stream.uniform();
  return std::sqrt(freedom * (std::pow(u, -2 / freedom) - 1)) * std::cos(angle);
}

}  // namespace

std::optional<double> SyntheticEpisode::reward(std::size_t arm) {
  Stream stream(seed_, Purpose::environment, (2 * round_ + 1) | (static_cast<std::uint64_t>(arm) << 40));
  const double drawn = noise_.tails > 0 ? draw_student(stream, noise_.tails) : stream.normal();
  return expected_[arm] + noise_.scale * drawn;
}

Stream SyntheticEpisode::begin_round() { return {seed_, Purpose::environment, 2 * ++round_}; }

ParamInfo tails_param() {
  return {"tails", "0", ">= 0",
          "the noise is Student's t with so many degrees of freedom: the fewer, the wilder; 0: normal"};
}

Noise noise_of(const Settings& settings) { return {settings.number("noise"), settings.number("tails")}; }

void draw_on_sphere(Stream& stream, std::span<double> x) {
  double square = 0;
  for (double& value : x) {
    value = stream.normal();
    square += value * value;
  }
  for (double& value : x) value /= std::sqrt(square);
}

}  // namespace neuralts
