// neuralts._core: the public headers, for Python. Everything a user sees is re-exported by the package.
#include "bind.hpp"

PYBIND11_MODULE(_core, module) {
  using namespace neuralts::python;
  py::options options;
  options.disable_function_signatures();  // the stubs hold them
  module.doc() = "The engine behind the neuralts package.";
  module.attr("__version__") = NEURALTS_VERSION;
  bind_errors(module);
  bind_catalog(module);
  bind_decision(module);
  bind_policy(module);
  bind_environment(module);
  bind_theory(module);
  bind_lab(module);
  bind_features(module);
  bind_log(module);
  bind_log_files(module);
  bind_evaluate(module);
}
