// Numbers from Python: read in place where they lie as float64, row by row; otherwise converted once or refused.
#pragma once

#include <pybind11/numpy.h>

#include <cstdint>
#include <span>
#include <vector>

#include "bind.hpp"

namespace neuralts::python {

using Numbers = py::array_t<double, py::array::c_style>;

/// `given` itself when it is float64, C-contiguous and aligned; a converted copy of other real numbers;
/// TypeError for the rest. `who` names it in errors.
Numbers to_numbers(const py::object& given, const char* who);

inline std::span<const double> view(const Numbers& numbers) {
  return {numbers.data(), static_cast<std::size_t>(numbers.size())};
}

/// A list of arm numbers, or one: whole numbers from 0 on. TypeError or ContractError otherwise.
std::vector<std::uint32_t> to_arms(const py::object& given);

/// Throws ContractError for a label that is not there: None, NaN, pandas' NA, a masked one. Each would be a class of
/// its own.
void refuse_missing(const py::object& labels, const char* who);

/// A read-only numpy view that keeps `owner` alive.
py::array_t<double> borrowed(std::span<const double> values, const py::object& owner);
/// A numpy array of its own.
py::array_t<double> copied(std::span<const double> values);

/// "(3, 4)", for messages.
std::string shape_text(const py::array& array);

}  // namespace neuralts::python
