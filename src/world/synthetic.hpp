// What synthetic worlds share: a counter of rounds, known expected rewards, normal noise that does not depend
// on who asks when.
#pragma once

#include <cstdint>
#include <vector>

#include "neuralts/environment.hpp"
#include "neuralts/random.hpp"

namespace neuralts {

class SyntheticEpisode : public Episode {
 public:
  const Contexts& contexts() const override { return contexts_; }
  std::span<const double> expected() const override { return expected_; }
  std::optional<double> reward(std::size_t arm) override;

 protected:
  SyntheticEpisode(std::uint64_t seed, double noise) : seed_(seed), noise_(noise) {}
  /// For what is hidden in the world: drawn once.
  Stream secret_stream() const { return {seed_, Purpose::environment, 0}; }
  /// Begins a round; the stream is for what it shows.
  Stream begin_round();
  std::uint64_t round() const { return round_; }

  std::vector<double> expected_;
  Contexts contexts_;

 private:
  std::uint64_t seed_, round_ = 0;
  double noise_;
};

/// A uniform point on the unit sphere.
void draw_on_sphere(Stream& stream, std::span<double> x);

}  // namespace neuralts
