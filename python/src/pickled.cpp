#include "pickled.hpp"

#include <pybind11/stl.h>

#include "neuralts/error.hpp"

namespace neuralts::python {

namespace {

using Numbers = std::vector<double>;

Field field_from(const py::tuple& kept) {
  const auto kind = static_cast<Field::Kind>(kept[0].cast<int>());
  const auto name = kept[1].cast<std::string_view>();
  const double number = kept[2].cast<double>();
  switch (kind) {
    case Field::Kind::missing: return Field::missing_of(name);
    case Field::Kind::number: return Field::of(name, number);
    case Field::Kind::truth: return Field::truth_of(name, number != 0);
    case Field::Kind::text: return Field::of(name, kept[3].cast<std::string_view>());
  }
  throw ContractError("a pickled field is of no known kind");
}

}  // namespace

py::tuple pickled(const Decision& d) {
  return py::make_tuple(d.arm, d.probability, d.estimated, d.probabilities, d.mean, d.width, d.score);
}

Decision unpickled_decision(const py::tuple& kept) {
  return {.arm = kept[0].cast<std::size_t>(),
          .probability = kept[1].cast<double>(),
          .estimated = kept[2].cast<bool>(),
          .probabilities = kept[3].cast<Numbers>(),
          .mean = kept[4].cast<Numbers>(),
          .width = kept[5].cast<Numbers>(),
          .score = kept[6].cast<Numbers>()};
}

py::list pickled(const FieldTable& objects) {
  py::list rows;
  for (std::size_t i = 0; i < objects.rows(); ++i) {
    py::list row;
    for (const Field& field : objects.row(i))
      row.append(py::make_tuple(static_cast<int>(field.kind), field.name, field.number, field.text));
    rows.append(row);
  }
  return rows;
}

FieldTable unpickled_objects(const py::list& kept) {
  FieldTable objects;
  for (const py::handle row : kept) {
    objects.start_row();
    for (const py::handle field : row) objects.add(field_from(field.cast<py::tuple>()));
  }
  return objects;
}

}  // namespace neuralts::python
