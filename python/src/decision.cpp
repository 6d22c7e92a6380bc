// A decision stays a C++ object; its lists become numpy views when somebody asks for them.
#include "chosen.hpp"
#include "pickled.hpp"

namespace neuralts::python {

namespace {

template <std::vector<double> Decision::*list>
py::array_t<double> list_view(const py::object& self) {
  return borrowed(self.cast<const Chosen&>().decision.*list, self);
}

std::string repr(const Chosen& c) {
  return "Decision(arm=" + std::to_string(c.arm) +
         ", probability=" + py::repr(py::float_(c.decision.probability)).cast<std::string>() +
         ", arms=" + std::to_string(c.decision.probabilities.size()) + ")";
}

}  // namespace

void bind_decision(py::module_& module) {
  py::class_<Chosen>(module, "Decision", R"(What was chosen and why. The lists have one entry per arm offered and are read-only.

>>> import neuralts, numpy as np
>>> d = neuralts.Policy("random", dim=2).select(np.eye(2))
>>> d.probability
0.5
>>> d.probabilities
array([0.5, 0.5])
)")
      .def_readonly("arm", &Chosen::arm, "The arm chosen: what learn() and reward() take.")
      .def_property_readonly("position", [](const Chosen& c) { return c.decision.arm; },
                             "Its place among the arms offered, and in the lists; the same number unless select_disjoint() was given a list.")
      .def_property_readonly("probability", [](const Chosen& c) { return c.decision.probability; }, "With which the policy would have chosen this arm.")
      .def_property_readonly("estimated", [](const Chosen& c) { return c.decision.estimated; }, "The probabilities are an estimate: this choice has no closed form.")
      .def_property_readonly("probabilities", &list_view<&Decision::probabilities>, "With which each arm would have been chosen; they sum to 1.")
      .def_property_readonly("mean", &list_view<&Decision::mean>, "Believed reward of each arm.")
      .def_property_readonly("width", &list_view<&Decision::width>, "Standard deviation of each believed reward, nu not applied.")
      .def_property_readonly("score", &list_view<&Decision::score>, "What the rule compared: a draw, a bound, the mean.")
      .def("__repr__", &repr)
      .def(py::pickle([](const Chosen& c) { return py::make_tuple(c.arm, pickled(c.decision)); },
                      [](const py::tuple& kept) {
                        return Chosen{unpickled_decision(kept[1].cast<py::tuple>()), kept[0].cast<std::size_t>()};
                      }));
}

}  // namespace neuralts::python
