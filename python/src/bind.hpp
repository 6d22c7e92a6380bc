// The rooms of the extension: each file adds its part to the module.
#pragma once

#include <pybind11/pybind11.h>

namespace neuralts::python {

namespace py = pybind11;

void bind_errors(py::module_& module);
void bind_catalog(py::module_& module);
void bind_decision(py::module_& module);
void bind_policy(py::module_& module);
void bind_environment(py::module_& module);
void bind_theory(py::module_& module);
void bind_lab(py::module_& module);
void bind_log(py::module_& module);
void bind_features(py::module_& module);
void bind_log_files(py::module_& module);
void bind_evaluate(py::module_& module);

}  // namespace neuralts::python
