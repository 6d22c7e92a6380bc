// A world written in Python: start(seed) gives the rounds, one by one.
#pragma once

#include "bind.hpp"
#include "neuralts/environment.hpp"

namespace neuralts::python {

/// `start(seed)` gives an iterable of (contexts, rewards) or (contexts, rewards, expected); contexts are a
/// matrix with a row per arm, or, with info.shape.blocks > 1, the one x that the arms share. May be called and
/// dropped without the GIL. What Python raises comes out as Error(bad_input).
std::shared_ptr<const Environment> make_own_world(EnvironmentInfo info, py::object start, std::string identity);

}  // namespace neuralts::python
