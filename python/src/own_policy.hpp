// A policy written in Python, as one who plays in a run.
#pragma once

#include "bind.hpp"
#include "neuralts/run.hpp"

namespace neuralts::python {

/// `maker` is called as maker(dim=, arms=, seed=) for every run (neuralts/own.py) and gives an object with
/// choose(contexts) -> (arm, probabilities) and learn(context, reward, arm). Contexts are whole vectors of R^D,
/// a row per arm.
ContestantMaker own_policy(const std::string& name, py::object maker);

}  // namespace neuralts::python
