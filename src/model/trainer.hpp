// Fits the network: steps on   weight * sum_i (f(x_i) - r_i)^2 / 2  +  decay * |theta - anchor|^2 / 2.
//
// One mechanism: an optimiser (descent, momentum, Adam), over all rounds or a mini-batch, J steps, from theta_0 or warm, with
// early stopping. The published algorithm is descent with weight 1, decay m lambda, anchor theta_0; the released code is descent
// with weight 2/n, decay lambda/n, anchor 0.
//
// Cost of a step: 4 n d m + 6 n m^2 (L - 2) operations over all n rounds, in tiles that stay in cache; memory: 2 to 4 p numbers.
// Descent and momentum over blocks of fewer rounds than columns train layer 1 in the span of its rows where that is cheaper:
// the same steps up to rounding, 2 n^2 m / K operations instead of 4 n d m (row_span.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "model/history.hpp"
#include "model/network.hpp"

namespace neuralts {

enum class Optimiser { descent, momentum, adam };
enum class Anchor { initial, zero };

struct TrainerSettings {
  Optimiser optimiser = Optimiser::descent;
  double step = 0;               ///< 0: 1 / (decay + weight * sum_i |g_i|^2), measured at the start of each training
  double momentum = 0.9;
  std::size_t iterations = 100;  ///< J
  std::size_t batch = 0;         ///< rounds per step, drawn with replacement; 0: all
  bool warm = true;              ///< start from where the last training ended; false: from theta_0
  bool keep_moments = false;     ///< the optimiser's moments survive from one training to the next
  bool mean_loss = false;        ///< weight 2/n instead of 1
  double decay = 0;
  bool decay_over_n = false;     ///< decay is divided by n
  Anchor anchor = Anchor::initial;
  double tolerance = 0;          ///< stop when |gradient| falls below this; 0: never
};

/// Per-round weights, per block as in the history (a bootstrap member's mask); empty: all 1.
template <class T>
using RoundWeights = std::vector<std::vector<T>>;

template <class T>
class Trainer {
 public:
  Trainer(const TrainerSettings& settings, const Network<T>& initial, std::uint64_t seed);

  /// Changes `network`. Returns the number of steps taken. `history` may be empty: then nothing is done.
  /// A training that diverges (a number that is not finite) is undone: the network is left as it was, and diverged() counts it.
  std::size_t train(Network<T>& network, const History<T>& history, const RoundWeights<T>& weights = {});

  /// Forgets the optimiser's state and goes back to theta_0 (of the same or another network).
  void restart(const Network<T>& initial);
  const std::vector<T>& initial() const { return theta0_; }
  std::size_t memory() const { return (theta0_.size() + gradient_.size() + first_.size() + second_.size()) * sizeof(T); }

  std::size_t diverged() const { return diverged_; }

  void save(Writer& out) const;
  void load(Reader& in);

 private:
  std::size_t fit(Network<T>& network, const History<T>& history, const RoundWeights<T>& weights);
  void forget_moments();
  struct Pass;
  double gradient(const Network<T>& network, const History<T>& history, const RoundWeights<T>& weights);
  void add_all(Pass& pass, const History<T>& history, const RoundWeights<T>& weights);
  void add_sample(Pass& pass, const History<T>& history, const RoundWeights<T>& weights);
  double measured_step(const Network<T>& network, const History<T>& history, double decay);
  bool small_gradient(const Network<T>& network, double decay) const;
  void step(Network<T>& network, double length, double decay, std::size_t from);  // on the parameters `from` and above
  std::size_t train_in_span(Network<T>& network, const History<T>& history, const RoundWeights<T>& weights, double length, double decay);
  const T* anchor() const { return settings_.anchor == Anchor::initial ? theta0_.data() : nullptr; }
  // Whether the steps keep layer 1 in the span of its rows (row_span.hpp), and nothing asks for its gradient in between.
  bool spans() const {
    return settings_.optimiser != Optimiser::adam && settings_.batch == 0 && settings_.tolerance <= 0 &&
           (settings_.optimiser == Optimiser::descent || !settings_.keep_moments);
  }

  TrainerSettings settings_;
  std::vector<T> theta0_, gradient_;
  std::vector<T> first_, second_;  // momentum's velocity or Adam's moments
  std::uint64_t steps_ = 0;        // since the moments were last cleared, for Adam's bias correction
  Stream stream_;
  std::size_t diverged_ = 0;
  std::vector<T> work_;            // a tile's activations, signals and outputs
};

}  // namespace neuralts
