// What the factories know, for people and for help().
#include <pybind11/stl.h>

#include "bind.hpp"
#include "neuralts/environment.hpp"
#include "neuralts/policy.hpp"
#include "params.hpp"

namespace neuralts::python {

namespace {

template <class Item>
py::dict by_name(const std::vector<Item>& items) {
  py::dict found;
  for (const auto& item : items) found[py::str(item.name)] = py::cast(item);
  return found;
}

std::string param_repr(const ParamInfo& p) { return "<" + p.key + "=" + p.default_value + " (" + p.range + ")>"; }

template <class Item>
std::string item_repr(const Item& item) {
  return "<" + item.name + ": " + item.summary + "; " + std::to_string(item.params.size()) + " parameters>";
}

template <class Item>
std::string item_text(const Item& item) {
  std::string text = item.name + ": " + item.summary;
  for (const auto& p : item.params) text += "\n  " + p.key + "=" + p.default_value + " (" + p.range + "): " + p.doc;
  return text;
}

py::dict presets_of(const PolicyInfo& info) {
  py::dict presets;
  for (const auto& [name, params] : info.presets) presets[py::str(name)] = typed(params);
  return presets;
}

}  // namespace

void bind_catalog(py::module_& module) {
  using namespace py::literals;
  py::class_<ParamInfo>(module, "ParamInfo", "One documented parameter.")
      .def_readonly("key", &ParamInfo::key)
      .def_property_readonly("default", [](const ParamInfo& p) { return typed(p.default_value); })
      .def_readonly("range", &ParamInfo::range)
      .def_readonly("doc", &ParamInfo::doc)
      .def("__repr__", &param_repr);
  py::class_<PolicyInfo>(module, "PolicyInfo", "What a policy is and which parameters it takes.")
      .def_readonly("name", &PolicyInfo::name)
      .def_readonly("summary", &PolicyInfo::summary)
      .def_readonly("reference", &PolicyInfo::reference)
      .def_readonly("params", &PolicyInfo::params)
      .def_property_readonly("presets", &presets_of)
      .def_readonly("default_preset", &PolicyInfo::default_preset)
      .def("__str__", &item_text<PolicyInfo>)
      .def("__repr__", &item_repr<PolicyInfo>);
  py::class_<EnvironmentHelp>(module, "EnvironmentInfo", "What an environment is and which parameters it takes.")
      .def_readonly("name", &EnvironmentHelp::name)
      .def_readonly("summary", &EnvironmentHelp::summary)
      .def_readonly("params", &EnvironmentHelp::params)
      .def("__str__", &item_text<EnvironmentHelp>)
      .def("__repr__", &item_repr<EnvironmentHelp>);
  module.def(
      "typed_value", [](const std::string& text) { return typed(text); }, "text"_a,
      "The value that a parameter's text stands for.");
  module.def(
      "policies", [] { return by_name(policy_catalog()); },
      R"(Every policy by name, with its parameters and presets.

>>> import neuralts
>>> "random" in neuralts.policies()
True
>>> neuralts.policies()["random"].summary
'uniform choice, learns nothing'
)");
  module.def(
      "environments", [] { return by_name(environment_catalog()); },
      R"(Every environment that has a name, with its parameters.

>>> import neuralts
>>> [p.key for p in neuralts.environments()["quadratic"].params]
['dim', 'arms', 'noise', 'tails', 'swing', 'cycle']
)");
}

}  // namespace neuralts::python
