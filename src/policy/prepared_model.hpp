// A model for a server: made ready once, asked thousands of times a second.
#pragma once

#include <memory>

#include "neuralts/model.hpp"

namespace neuralts {

/// A model that decides as `model` does but for rounding (probabilities to 1e-4), and is saved as the same
/// bytes; or `model` itself, where nothing can be prepared. Equal models are prepared to equal ones: what is
/// decided can be decided again.
std::shared_ptr<const Model> prepared_model(std::shared_ptr<const Model> model);

}  // namespace neuralts
