// How a network is made and fitted: what every policy that holds one has in common.
#pragma once

#include <cstdint>
#include <vector>

#include "model/network.hpp"
#include "model/schedule.hpp"
#include "model/standardiser.hpp"
#include "model/train.hpp"

namespace neuralts {

struct FitSettings {
  NetworkShape shape;
  Initialisation initialisation = Initialisation::paired;
  std::uint64_t seed = 1;

  TrainerSettings trainer;
  Schedule schedule;
  std::size_t stop_after = 0;  ///< no training after so many finished rounds; 0: never stop

  StandardiserSettings standardise;
  KeepSettings keep;
};

}  // namespace neuralts
