// The seam between learning and arithmetic: a list of training jobs goes in, fitted networks come out. This
// processor is one engine, a GPU another; what is fitted is the same up to rounding.
//
// A job is steps on   weight * sum_i w_i (f(x_i) - r_i)^2 / 2  +  decay * |theta - anchor|^2 / 2
// by descent, momentum or Adam, over all rounds or a mini-batch, J of them, from theta_0 or warm, with early
// stopping. The published algorithm is descent with weight 1, decay m lambda, anchor theta_0; the released code
// is descent with weight 2/n, decay lambda/n, anchor 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "model/history.hpp"
#include "model/network.hpp"
#include "neuralts/archive.hpp"
#include "neuralts/learner.hpp"

namespace neuralts {

enum class Optimiser { descent, momentum, adam };
enum class Anchor { initial, zero };

struct TrainerSettings {
  Optimiser optimiser = Optimiser::descent;
  /// 0: 1 / (decay + weight * sum_i |g_i|^2), measured at the start of each training.
  double step = 0;
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

/// What a network's trainings leave to the next one.
template <class T>
struct FitState {
  FitState(const TrainerSettings& settings, const Network<T>& initial, std::uint64_t seed);

  std::vector<T> theta0;
  std::vector<T> first, second;  ///< momentum's velocity or Adam's moments
  std::uint64_t steps = 0;       ///< since the moments were last cleared, for Adam's bias correction
  Stream stream;                 ///< of mini-batches
  std::uint64_t diverged = 0;    ///< trainings that ran away, and were undone
  double theta0_size;            ///< |theta_0|

  /// Clears the moments.
  void forget_moments();
  std::size_t memory() const { return (theta0.size() + first.size() + second.size()) * sizeof(T); }
  void save(Writer& out) const;
  void load(Reader& in);
};

/// Everything a training needs, by reference. It changes *network and *state.
template <class T>
struct FitJob {
  Network<T>* network = nullptr;
  const History<T>* history = nullptr;
  const RoundWeights<T>* weights = nullptr;  ///< nullptr or empty: all 1
  double rounds = 0;                         ///< n of the mean loss and of decay / n; 0: as many as the history has
  const TrainerSettings* settings = nullptr;
  FitState<T>* state = nullptr;
  std::size_t steps_taken = 0;  ///< out
};

struct TrainJob {
  std::variant<FitJob<float>, FitJob<double>> fit;
};

class TrainEngine {
 public:
  virtual ~TrainEngine() = default;
  /// Runs all jobs; no two share a network or a state. False: how.stop was asked for; every network and state
  /// is as it was. A training that diverges is undone: its network is left as it was, and FitState::diverged
  /// counts it.
  virtual bool train(std::span<TrainJob> jobs, const Training& how) = 0;
};

/// This processor: many jobs over how.threads, one large job over all of them, with the same bits for any number.
TrainEngine& processor_engine();

}  // namespace neuralts
