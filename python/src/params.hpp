// Keyword arguments become the engine's key=value text.
#pragma once

#include "bind.hpp"
#include "neuralts/params.hpp"

namespace neuralts::python {

/// Numbers, text, True and False; None leaves a key at its default. TypeError for anything else.
Params to_params(const py::dict& given);

/// str or os.PathLike -> text.
std::string to_path(const py::object& path);

}  // namespace neuralts::python
