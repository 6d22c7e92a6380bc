// What the factories know, for people and for help().
#include <pybind11/stl.h>

#include "bind.hpp"
#include "neuralts/environment.hpp"
#include "neuralts/policy.hpp"

namespace neuralts::python {

namespace {

template <class Item>
py::dict by_name(const std::vector<Item>& items) {
  py::dict found;
  for (const auto& item : items) found[py::str(item.name)] = py::cast(item);
  return found;
}

std::string param_repr(const ParamInfo& p) { return "<" + p.key + "=" + p.default_value + " (" + p.range + "): " + p.doc + ">"; }

template <class Item>
std::string item_repr(const Item& item) {
  std::string text = item.name + ": " + item.summary;
  for (const auto& p : item.params) text += "\n  " + p.key + "=" + p.default_value + " (" + p.range + "): " + p.doc;
  return text;
}

}  // namespace

void bind_catalog(py::module_& module) {
  py::class_<ParamInfo>(module, "ParamInfo", "One documented parameter.")
      .def_readonly("key", &ParamInfo::key)
      .def_readonly("default", &ParamInfo::default_value)
      .def_readonly("range", &ParamInfo::range)
      .def_readonly("doc", &ParamInfo::doc)
      .def("__repr__", &param_repr);
  py::class_<PolicyInfo>(module, "PolicyInfo", "What a policy is and which parameters it takes.")
      .def_readonly("name", &PolicyInfo::name)
      .def_readonly("summary", &PolicyInfo::summary)
      .def_readonly("reference", &PolicyInfo::reference)
      .def_readonly("params", &PolicyInfo::params)
      .def_readonly("presets", &PolicyInfo::presets)
      .def_readonly("default_preset", &PolicyInfo::default_preset)
      .def("__repr__", &item_repr<PolicyInfo>);
  py::class_<EnvironmentHelp>(module, "EnvironmentInfo", "What an environment is and which parameters it takes.")
      .def_readonly("name", &EnvironmentHelp::name)
      .def_readonly("summary", &EnvironmentHelp::summary)
      .def_readonly("params", &EnvironmentHelp::params)
      .def("__repr__", &item_repr<EnvironmentHelp>);
  module.def("policies", [] { return by_name(policy_catalog()); }, R"(Every policy by name, with its parameters and presets.

>>> import neuralts
>>> "random" in neuralts.policies()
True
>>> neuralts.policies()["random"].summary
'uniform choice, learns nothing'
)");
  module.def("environments", [] { return by_name(environment_catalog()); }, R"(Every environment that has a name, with its parameters.

>>> import neuralts
>>> [p.key for p in neuralts.environments()["quadratic"].params]
['dim', 'arms', 'noise']
)");
}

}  // namespace neuralts::python
