// An environment with the text that made it, if a text did: by that name results folders know it.
#pragma once

#include "bind.hpp"
#include "neuralts/environment.hpp"

namespace neuralts::python {

struct World {
  std::shared_ptr<const Environment> env;
  std::string text{};  ///< empty: made from arrays or by a function

  const EnvironmentInfo& info() const { return env->info(); }
  const std::string& label() const { return text.empty() ? info().name : text; }
};

}  // namespace neuralts::python
