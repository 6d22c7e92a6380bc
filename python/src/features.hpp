// The encoder, for Python.
#pragma once

#include <optional>
#include <string>

#include "bind.hpp"
#include "neuralts/feature.hpp"

namespace neuralts::python {

/// neuralts.Features, or None.
py::object as_features(const std::optional<Schema>& schema);

/// print() adds one.
inline std::string without_line_end(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace neuralts::python
