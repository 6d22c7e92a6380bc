#include "features.hpp"

#include <pybind11/stl.h>

#include "arrays.hpp"
#include "neuralts/error.hpp"
#include "objects.hpp"

namespace neuralts::python {

namespace {

using Held = std::shared_ptr<Encoder>;

std::string json_of(const py::object& given) {
  if (py::isinstance<py::str>(given)) return given.cast<std::string>();
  return py::module_::import("json").attr("dumps")(given).cast<std::string>();
}

Held make(const py::object& schema) { return std::make_shared<Encoder>(Schema::from_json(json_of(schema))); }

// From pairs of a context and its actions.
Held learn(const py::iterable& events, const py::object& features) {
  FeatureSettings settings = parse_features(json_of(features));
  SchemaLearner learner(settings);
  for (const py::handle event : events) {
    const auto pair = py::reinterpret_borrow<py::sequence>(event);
    learner.see(to_objects(pair[0], rows_of(pair[1])));
  }
  if (learner.events() == 0 && !settings.complete()) throw ContractError("there is no event to learn from");
  return std::make_shared<Encoder>(learner.schema());
}

py::array_t<double> encode(const Encoder& encoder, const py::object& context, const py::object& actions) {
  const FieldTable objects = to_objects(context, rows_of(actions));
  if (objects.rows() < 2) throw ContractError("no action is offered");
  py::array_t<double> rows(
      {static_cast<py::ssize_t>(objects.rows() - 1), static_cast<py::ssize_t>(encoder.length())});
  encoder.encode(objects, {rows.mutable_data(), static_cast<std::size_t>(rows.size())});
  return rows;
}

constexpr const char* features_doc = R"(How objects become numbers: a schema, frozen. Print it to read it.

>>> import neuralts
>>> f = neuralts.Features.learn([({"hour": h}, ["a", "b"]) for h in range(24)])
>>> f.encode({"hour": 3}, ["a", "new"]).shape == (2, len(f.columns))
True
>>> neuralts.Features(f.to_json()).to_json() == f.to_json()
True
)";

}  // namespace

py::object as_features(const std::optional<Schema>& schema) {
  if (!schema) return py::none();
  return py::cast(std::make_shared<Encoder>(*schema));
}

void bind_features(py::module_& module) {
  using namespace py::literals;
  py::class_<Encoder, Held>(module, "Features", features_doc)
      .def(py::init(&make), "schema"_a)
      .def_static("learn", &learn, "events"_a, "features"_a = "auto",
                  "A schema that fits pairs of a context and its actions.")
      .def("encode", &encode, "context"_a, "actions"_a, "A row of numbers per action.")
      .def(
          "to_json", [](const Encoder& e) { return e.schema().to_json(); },
          "For Features(json): the same encoding, bit for bit.")
      .def_property_readonly("columns", &Encoder::column_names, "A name for every number.")
      .def("__len__", &Encoder::length)
      .def("__str__", [](const Encoder& e) { return without_line_end(e.schema().to_text()); })
      .def("__repr__",
           [](const Encoder& e) { return "<Features: " + std::to_string(e.length()) + " numbers>"; });
}

}  // namespace neuralts::python
