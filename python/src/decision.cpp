// A decision stays a C++ object; its lists become numpy views when somebody asks for them.
#include "arrays.hpp"
#include "neuralts/policy.hpp"

namespace neuralts::python {

namespace {

template <std::vector<double> Decision::*list>
py::array_t<double> list_view(const py::object& self) {
  return borrowed(self.cast<const Decision&>().*list, self);
}

std::string repr(const Decision& d) {
  return "Decision(arm=" + std::to_string(d.arm) + ", probability=" + py::repr(py::float_(d.probability)).cast<std::string>() +
         ", arms=" + std::to_string(d.probabilities.size()) + ")";
}

}  // namespace

void bind_decision(py::module_& module) {
  py::class_<Decision>(module, "Decision", R"(What was chosen and why. The lists have one entry per arm offered and are read-only.

>>> import neuralts, numpy as np
>>> d = neuralts.Policy("random", dim=2).select(np.eye(2))
>>> d.probability
0.5
>>> d.probabilities
array([0.5, 0.5])
)")
      .def_readonly("arm", &Decision::arm, "The position, among the arms offered, of the arm chosen.")
      .def_readonly("probability", &Decision::probability, "With which the policy would have chosen this arm.")
      .def_readonly("estimated", &Decision::estimated, "The probabilities are an estimate: this choice has no closed form.")
      .def_property_readonly("probabilities", &list_view<&Decision::probabilities>, "With which each arm would have been chosen; they sum to 1.")
      .def_property_readonly("mean", &list_view<&Decision::mean>, "Believed reward of each arm.")
      .def_property_readonly("width", &list_view<&Decision::width>, "Standard deviation of each believed reward, nu not applied.")
      .def_property_readonly("score", &list_view<&Decision::score>, "What the rule compared: a draw, a bound, the mean.")
      .def("__repr__", &repr);
}

}  // namespace neuralts::python
