#include "params.hpp"

#include "neuralts/keys.hpp"

namespace neuralts::python {

namespace {

std::string to_text(const std::string& key, const py::object& given) {
  // Numpy's scalars.
  const py::object value = py::hasattr(given, "item") ? py::object(given.attr("item")()) : given;
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "true" : "false";
  if (py::isinstance<py::str>(value) || py::isinstance<py::int_>(value) || py::isinstance<py::float_>(value))
    return py::str(value);
  throw py::type_error(key + ": a number, text, True or False is needed, not " +
                       py::str(py::type::handle_of(value).attr("__name__")).cast<std::string>());
}

}  // namespace

Params to_params(const py::dict& given) {
  Params params;
  for (const auto& [key, value] : given)
    if (!value.is_none()) params[py::str(key)] = to_text(py::str(key), py::reinterpret_borrow<py::object>(value));
  return params;
}

void refuse_unknown(const std::string& where, const py::dict& given, const std::vector<ParamInfo>& known) {
  Params names;
  for (const auto& [name, value] : given) names[py::str(name)] = "";
  known_keys(where, names, known);
}

py::object typed(const std::string& value) {
  if (value == "true" || value == "false") return py::bool_(value == "true");
  for (const char* type : {"int", "float"})
    if (PyObject* number = PyObject_CallFunction(py::module_::import("builtins").attr(type).ptr(), "s",
                                                 value.c_str());
        number != nullptr)
      return py::reinterpret_steal<py::object>(number);
    else
      PyErr_Clear();
  return py::str(value);
}

py::dict typed(const Params& params) {
  py::dict values;
  for (const auto& [key, value] : params) values[py::str(key)] = typed(value);
  return values;
}

std::string to_path(const py::object& path) { return py::str(py::module_::import("os").attr("fsdecode")(path)); }

}  // namespace neuralts::python
