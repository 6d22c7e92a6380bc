// The service's configuration file.
#pragma once

#include <string>
#include <string_view>

#include "neuralts/serve.hpp"

namespace neuralts::serve {

/// What read_serve_options() makes of the file's text. `path`: what errors call it. Throws Error(bad_input |
/// bad_spec).
ServeOptions options_from_toml(std::string_view text, const std::string& path, const ServeOptions& base = {});

}  // namespace neuralts::serve
