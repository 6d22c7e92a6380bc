// The neural belief: mean from a network trained on finished rounds, width from the network's tangent features.
#pragma once

#include <cstdint>
#include <memory>

#include "model/belief.hpp"
#include "model/history.hpp"
#include "model/network.hpp"
#include "model/posterior.hpp"
#include "model/schedule.hpp"
#include "model/standardiser.hpp"
#include "model/trainer.hpp"

namespace neuralts {

enum class PosteriorKind { automatic, exact, diagonal };
enum class Design { played, rewarded };
enum class Grow { before_training, after_training };

struct NeuralSettings {
  NetworkShape shape;
  Initialisation initialisation = Initialisation::paired;
  std::uint64_t seed = 1;

  TrainerSettings trainer;
  Schedule schedule;
  std::size_t stop_after = 0;  ///< no training after so many finished rounds; 0: never stop

  PosteriorKind posterior = PosteriorKind::automatic;
  PosteriorSettings width;
  Design design = Design::rewarded;        ///< which event grows U
  Grow grow = Grow::after_training;        ///< U at theta_{t-1} or at theta_t; only for Design::rewarded

  StandardiserSettings standardise;
  bool calibrate = false;  ///< width in units of the residuals' standard deviation
  bool doubling = false;   ///< restart at t = 2^s: the doubling trick for an unknown horizon
};

/// T: float or double, of the network and the features.
template <class T>
std::unique_ptr<Belief> make_neural_belief(const NeuralSettings& settings);

}  // namespace neuralts
