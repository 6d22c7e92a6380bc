#include "arrays.hpp"

#include <limits>
#include <string>

#include "neuralts/error.hpp"

namespace neuralts::python {

namespace {

bool lies_well(const py::object& given) {
  return py::isinstance<Numbers>(given) &&
         (py::reinterpret_borrow<py::array>(given).flags() & py::detail::npy_api::NPY_ARRAY_ALIGNED_) != 0;
}

void check_kind(const py::array& array, const char* who, const char* kinds, const char* wanted) {
  const char kind = array.dtype().kind();
  if (std::string(kinds).find(kind) == std::string::npos)
    throw py::type_error(std::string(who) + ": " + wanted + " are needed, not dtype " +
                         py::str(array.dtype()).cast<std::string>());
}

// What is behind a mask is not meant to be used.
void refuse_masked(const py::object& given, const char* who) {
  if (Py_TYPE(given.ptr()) == reinterpret_cast<PyTypeObject*>(py::detail::npy_api::get().PyArray_Type_)) return;
  if (!py::isinstance<py::array>(given) || !py::hasattr(given, "mask")) return;
  if (given.attr("mask").attr("any")().cast<bool>())
    throw ContractError(std::string(who) + ": some numbers are masked: fill them, or leave their rows out");
}

// scipy's sparse matrices are filled up; a frame whose columns are numbers of several kinds becomes one of floats.
py::object dense(const py::object& given, const char* who) {
  if (py::isinstance<py::array>(given)) return given;
  if (py::hasattr(given, "toarray")) return given.attr("toarray")();
  if (!py::hasattr(given, "dtypes") || !py::hasattr(given, "columns")) return given;
  for (const py::handle column : given.attr("dtypes").attr("items")()) {
    const auto [name, type] = column.cast<std::pair<py::object, py::object>>();
    if (std::string("fiub").find(py::str(type.attr("kind")).cast<std::string>()) == std::string::npos)
      throw py::type_error(std::string(who) + ": column '" + py::str(name).cast<std::string>() +
                           "' holds no numbers (dtype " + py::str(type).cast<std::string>() +
                           "): leave it out, or let a policy with features=\"auto\" encode it");
  }
  return given.attr("to_numpy")(py::arg("dtype") = "float64");
}

}  // namespace

Numbers to_numbers(const py::object& given, const char* who) {
  refuse_masked(given, who);
  if (lies_well(given)) return py::reinterpret_borrow<Numbers>(given);
  const py::array array(dense(given, who));
  check_kind(array, who, "fiub", "real numbers");
  return py::array_t<double, py::array::c_style | py::array::forcecast>(array);
}

std::vector<std::uint32_t> to_arms(const py::object& given) {
  const py::array array(given);
  if (array.size() == 0) return {};
  check_kind(array, "arms", "iu", "whole numbers");
  if (array.ndim() > 1)
    throw ContractError("arms: one number or a list of them is needed, not shape " + shape_text(array));
  const py::array_t<std::int64_t, py::array::c_style | py::array::forcecast> wide(array);
  std::vector<std::uint32_t> arms;
  for (py::ssize_t i = 0; i < wide.size(); ++i) {
    const std::int64_t arm = wide.data()[i];
    if (arm < 0 || arm > std::numeric_limits<std::uint32_t>::max())
      throw ContractError("arms: there is no arm " + std::to_string(arm));
    arms.push_back(static_cast<std::uint32_t>(arm));
  }
  return arms;
}

namespace {

// NaN and its kin differ from themselves; pandas' NA says neither that it does nor that it does not. A list that holds
// words and a NaN is one of words for numpy.
bool is_missing(const py::handle& label) {
  if (label.is_none()) return true;
  if (py::isinstance<py::str>(label)) return py::str(label.attr("lower")()).equal(py::str("nan"));
  const auto differs = py::reinterpret_steal<py::object>(PyObject_RichCompare(label.ptr(), label.ptr(), Py_NE));
  const int truth = differs ? PyObject_IsTrue(differs.ptr()) : -1;
  if (truth < 0) PyErr_Clear();
  return truth != 0;
}

}  // namespace

void refuse_missing(const py::object& labels, const char* who) {
  refuse_masked(labels, who);
  if (py::isinstance<py::array>(labels) && std::string("biu").find(py::array(labels).dtype().kind()) != std::string::npos)
    return;  // whole numbers are all there
  const py::object all =
      py::module_::import("numpy").attr("asarray")(labels, py::arg("dtype") = "object").attr("ravel")();
  std::size_t at = 0;
  for (const py::handle label : all) {
    if (is_missing(label))
      throw ContractError(std::string(who) + ": label " + std::to_string(at) + " is missing (" +
                          py::repr(label).cast<std::string>() + "): leave its row out, or give it a label");
    ++at;
  }
}

py::array_t<double> borrowed(std::span<const double> values, const py::object& owner) {
  py::array_t<double> array(static_cast<py::ssize_t>(values.size()), values.data(), owner);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

py::array_t<double> copied(std::span<const double> values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

std::string shape_text(const py::array& array) { return py::str(array.attr("shape")).cast<std::string>(); }

}  // namespace neuralts::python
