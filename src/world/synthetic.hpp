// What synthetic worlds share: a counter of rounds, known expected rewards, noise that does not depend on who
// asks when.
#pragma once

#include <cstdint>
#include <vector>

#include "neuralts/environment.hpp"
#include "neuralts/random.hpp"
#include "world/registry.hpp"

namespace neuralts {

struct Noise {
  double scale = 0;
  /// Degrees of freedom of Student's t: the fewer, the wilder (2 and less: no variance, 1 and less: no mean).
  /// 0: normal, of standard deviation `scale`.
  double tails = 0;
  /// All rewards rise and fall together by so much, once in `cycle` rounds, from a part of it that the seed tells. No column
  /// tells it, and no choice depends on it.
  double swing = 0, cycle = 300;
};

class SyntheticEpisode : public Episode {
 public:
  const Contexts& contexts() const override { return contexts_; }
  std::span<const double> expected() const override { return expected_; }
  std::optional<double> reward(std::size_t arm) override;

 protected:
  SyntheticEpisode(std::uint64_t seed, const Noise& noise);
  /// For what is hidden in the world: drawn once.
  Stream secret_stream() const { return {seed_, Purpose::environment, 0}; }
  /// Begins a round; the stream is for what it shows.
  Stream begin_round();
  std::uint64_t round() const { return round_; }

  std::vector<double> expected_;
  Contexts contexts_;

 private:
  /// What all rewards have in common this round.
  double level() const;

  std::uint64_t seed_, round_ = 0;
  Noise noise_;
  double swing_begins_ = 0;
};

/// A world of synthetic episodes. What it is like its settings say: `EnvironmentInfo info() const`.
template <class Drawn, class DrawnFrom>
class SyntheticWorld final : public Environment {
 public:
  explicit SyntheticWorld(const DrawnFrom& settings) : Environment(settings.info()), settings_(settings) {}
  std::unique_ptr<Episode> start(std::uint64_t seed) const override {
    return std::make_unique<Drawn>(settings_, seed);
  }

 private:
  DrawnFrom settings_;
};
template <class Drawn, class DrawnFrom>
std::shared_ptr<const Environment> synthetic_world(const DrawnFrom& settings) {
  return std::make_shared<SyntheticWorld<Drawn, DrawnFrom>>(settings);
}

/// The parameters of a world's noise, with `noise` as it is by default behind `others`; and what they tell.
std::vector<ParamInfo> with_noise(std::vector<ParamInfo> others, const std::string& noise);
Noise noise_of(const Settings& settings);

/// A uniform point on the unit sphere.
void draw_on_sphere(Stream& stream, std::span<double> x);

}  // namespace neuralts
