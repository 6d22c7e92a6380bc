// The encoder, for Python.
#pragma once

#include <optional>
#include <string>

#include "bind.hpp"
#include "neuralts/feature.hpp"

namespace neuralts::python {

/// neuralts.Features, or None.
py::object as_features(const std::optional<Schema>& schema);

}  // namespace neuralts::python
