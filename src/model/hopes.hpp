// How far what the curve hoped for came true: the slope of what came beyond the common belief on what the curve had
// said beyond it, over rounds in which it had said more, those of great hopes first. Imagined rounds say that
// all came true; where rewards are noise the slope falls to nothing within a few hundred rounds. Older rounds count
// less and less, as they do for the shares.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/stacking.hpp"

namespace neuralts {

class Hopes {
 public:
  /// Of saved policies: earlier ones have none.
  static constexpr std::uint32_t first_version = 6;

  /// A round: what the curve had said, and what came, beyond the common belief, in standard deviations of the rewards.
  void count(double hoped, double came) {
    const double h = std::max(0.0, hoped);
    hoped_ = Stacking::keep * hoped_ + h * h * h;
    came_ = Stacking::keep * came_ + h * h * came;
  }
  /// 0 .. 1; 1 before the first round.
  double fulfilled() const { return std::clamp((came_ + imagined) / (hoped_ + imagined), 0.0, 1.0); }
  /// The rewards' unit has changed: what was x is now factor x.
  void rescale(double factor) { hoped_ *= factor * factor * factor, came_ *= factor * factor * factor; }

  void save(Writer& out) const { out.value(hoped_), out.value(came_); }
  void load(Reader& in) { hoped_ = in.value<double>(), came_ = in.value<double>(); }

 private:
  static constexpr double imagined = 30;  // hopes of one standard deviation

  double hoped_ = 0, came_ = 0;  // sums of hoped^3, hoped^2 came
};

}  // namespace neuralts
