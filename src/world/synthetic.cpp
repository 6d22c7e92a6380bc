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

SyntheticEpisode::SyntheticEpisode(std::uint64_t seed, const Noise& noise) : seed_(seed), noise_(noise) {
  if (noise.swing > 0) swing_begins_ = Stream(seed, Purpose::environment, 1).uniform();
}

std::optional<double> SyntheticEpisode::reward(std::size_t arm) {
  Stream stream(seed_, Purpose::environment, (2 * round_ + 1) | (static_cast<std::uint64_t>(arm) << 40));
  const double drawn = noise_.tails > 0 ? draw_student(stream, noise_.tails) : stream.normal();
  return expected_[arm] + noise_.scale * drawn + level();
}

double SyntheticEpisode::level() const {
  if (noise_.swing == 0) return 0;
  const double cycles = swing_begins_ + static_cast<double>(round_) / noise_.cycle;
  return noise_.swing * std::sin(2 * std::numbers::pi * cycles);
}

Stream SyntheticEpisode::begin_round() { return {seed_, Purpose::environment, 2 * ++round_}; }

std::vector<ParamInfo> with_noise(std::vector<ParamInfo> others, const std::string& noise) {
  others.insert(others.end(),
                {{"noise", noise, ">= 0", "standard deviation of the reward's noise"},
                 {"tails", "0", ">= 0",
                  "the noise is Student's t with so many degrees of freedom: the fewer, the wilder; 0: normal"},
                 {"swing", "0", ">= 0", "all rewards rise and fall together by so much, which no column tells"},
                 {"cycle", "300", "> 0", "rounds from one such rise to the next"}});
  return others;
}

Noise noise_of(const Settings& settings) {
  return {.scale = settings.number("noise"),
          .tails = settings.number("tails"),
          .swing = settings.number("swing"),
          .cycle = settings.number("cycle")};
}

void draw_on_sphere(Stream& stream, std::span<double> x) {
  double square = 0;
  for (double& value : x) {
    value = stream.normal();
    square += value * value;
  }
  for (double& value : x) value /= std::sqrt(square);
}

}  // namespace neuralts
