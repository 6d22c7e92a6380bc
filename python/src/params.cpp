#include "params.hpp"

namespace neuralts::python {

namespace {

std::string to_text(const std::string& key, const py::object& given) {
  const py::object value = py::hasattr(given, "item") ? py::object(given.attr("item")()) : given;  // numpy's scalars
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "true" : "false";
  if (py::isinstance<py::str>(value) || py::isinstance<py::int_>(value) || py::isinstance<py::float_>(value)) return py::str(value);
  throw py::type_error(key + ": a number, text, True or False is needed, not " + py::str(py::type::handle_of(value).attr("__name__")).cast<std::string>());
}

}  // namespace

Params to_params(const py::dict& given) {
  Params params;
  for (const auto& [key, value] : given)
    if (!value.is_none()) params[py::str(key)] = to_text(py::str(key), py::reinterpret_borrow<py::object>(value));
  return params;
}

std::string to_path(const py::object& path) { return py::str(py::module_::import("os").attr("fsdecode")(path)); }

}  // namespace neuralts::python
