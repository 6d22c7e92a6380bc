// A belief that lets go of the past: of all but the last N rounds, of each round by its age, or of what has
// become wrong.
//
// What is forgotten is forgotten in mean and width alike (Belief::retain), every sixteenth of the memory's
// length: in between, up to that many rounds more are remembered. `automatic` watches the errors one step
// ahead beside those of forecasters with short memories (short_memory.hpp): when one of 64, 128, ... 1,024
// rounds predicts better than the belief, by more than the scatter of the differences explains, then what is
// older has become wrong, and is let go. It must also be better than a twin of its own kind that remembers as
// much as the belief: otherwise it is only a better model, not a fresher one.
#pragma once

#include <memory>
#include <string>

#include "neuralts/belief.hpp"

namespace neuralts {

struct Forget {
  enum class Kind { never, window, discount, automatic } kind = Kind::never;
  std::size_t window = 0;  ///< N
  double discount = 1;     ///< G, in (0, 1)

  /// "never", "window:N", "discount:G", "auto". False, and `out` undefined, when `text` is none of them.
  static bool parse(const std::string& text, Forget& out);
  /// Rounds that a belief must be able to give back its past from.
  std::size_t memory() const;
};

/// `inner`, forgetting. REQUIRES a belief that can retain(), made for it.
std::unique_ptr<Belief> make_forgetting(std::unique_ptr<Belief> inner, const Forget& forget,
                                        const Shape& shape);

}  // namespace neuralts
