// Keyword arguments become the engine's key=value text.
#pragma once

#include "bind.hpp"
#include "neuralts/params.hpp"

namespace neuralts::python {

/// Numbers, text, True and False; None leaves a key at its default. TypeError for anything else.
Params to_params(const py::dict& given);

/// Throws Error(bad_spec) for a key that is not known, whatever its value: None, too, must be of a parameter
/// that exists.
void refuse_unknown(const std::string& where, const py::dict& given, const std::vector<ParamInfo>& known);
/// The value a parameter's text stands for: bool, int, float, or the text itself.
py::object typed(const std::string& value);
py::dict typed(const Params& params);

/// str or os.PathLike -> text.
std::string to_path(const py::object& path);

}  // namespace neuralts::python
