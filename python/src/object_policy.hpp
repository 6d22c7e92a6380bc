// The half of Policy that chooses between objects.
#pragma once

#include <optional>

#include "objects.hpp"
#include "shared_policy.hpp"

namespace neuralts::python {

/// A choice with what it was made between, and the action as it was given.
struct ObjectChoice {
  Choice choice;
  FieldTable objects;
  py::object action;
};

py::object select_object(SharedPolicy& policy, const py::object& context, const py::object& actions,
                         const py::object& event_id, const std::optional<double>& time);

/// reward, expire, explain, retire, fit, log_to and what a schema says of itself.
void bind_object_policy(py::module_& module, py::class_<SharedPolicy, std::shared_ptr<SharedPolicy>>& policy);

}  // namespace neuralts::python
