// Decisions as tuples: what pickle keeps of them.
#pragma once

#include "bind.hpp"
#include "neuralts/fields.hpp"
#include "neuralts/model.hpp"

namespace neuralts::python {

py::tuple pickled(const Decision& decision);
Decision unpickled_decision(const py::tuple& kept);

/// A list of rows, each of (kind, name, number, text).
py::list pickled(const FieldTable& objects);
FieldTable unpickled_objects(const py::list& kept);

}  // namespace neuralts::python
