// Counts and seeds from Python, whose whole numbers have no end.
#pragma once

#include <cstdint>

#include "bind.hpp"
#include "neuralts/error.hpp"

namespace neuralts::python {

/// A whole number from 0 on. One beyond 64 bits is a ContractError with the number; what is none, pybind11's TypeError.
struct Whole {
  std::uint64_t value = 0;
  operator std::uint64_t() const { return value; }
};

}  // namespace neuralts::python

template <>
struct pybind11::detail::type_caster<neuralts::python::Whole> {
  PYBIND11_TYPE_CASTER(neuralts::python::Whole, const_name("int"));

  bool load(handle source, bool) {
    const auto whole = reinterpret_steal<object>(PyNumber_Index(source.ptr()));
    if (whole) value.value = PyLong_AsUnsignedLongLong(whole.ptr());
    if (PyErr_Occurred() == nullptr) return true;
    PyErr_Clear();
    if (whole && whole > int_(0))
      throw neuralts::ContractError(str(whole).cast<std::string>() + " is too large: at most 18446744073709551615");
    return false;
  }
  static handle cast(neuralts::python::Whole whole, return_value_policy, handle) {
    return PyLong_FromUnsignedLongLong(whole.value);
  }
};
