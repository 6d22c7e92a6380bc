// The theorem's numbers, for Python.
#include "neuralts/theory.hpp"

#include <pybind11/stl.h>

#include "arrays.hpp"
#include "whole.hpp"
#include "world.hpp"

namespace neuralts::python {

namespace {

using theory::Analysis;
using theory::Options;

py::array_t<double> tangent_kernel(const py::object& given, Whole depth) {
  const Numbers contexts = to_numbers(given, "contexts");
  if (contexts.ndim() != 2)
    throw ContractError("contexts of shape " + shape_text(contexts) +
                        ": a matrix with a row per context is needed");
  const py::ssize_t count = contexts.shape(0), dim = contexts.shape(1);
  std::vector<Slice> rows;
  for (py::ssize_t i = 0; i < count; ++i)
    rows.push_back(
        {view(contexts).subspan(static_cast<std::size_t>(i * dim), static_cast<std::size_t>(dim)), 0});
  std::vector<double> kernel;
  {
    const py::gil_scoped_release no_gil;
    kernel = theory::tangent_kernel_matrix(rows, depth);
  }
  return copied(kernel).reshape({count, count});
}

Analysis analyse(const World& world, const Options& options) {
  const py::gil_scoped_release no_gil;
  return theory::analyse(*world.env, options);
}

template <std::vector<double> Analysis::*list>
py::array_t<double> list_view(const py::object& self) {
  return borrowed(self.cast<const Analysis&>().*list, self);
}

constexpr const char* analyse_doc =
    R"(What the regret theorem says of a world: tangent kernel, effective dimension, exploration, bound.

analyse(env, *, rounds=0, depth=2, units=100, lambda_=None, delta=0.1, noise=0.1, seed=1)

``lambda_``: None for the theorem's 1 + 1/T.

>>> import neuralts
>>> a = neuralts.analyse(neuralts.Environment("quadratic", dim=3, arms=2), rounds=10)
>>> a.rounds, a.contexts
(10, 20)
>>> 0 < a.effective_dimension < a.contexts
True
)";

constexpr const char* kernel_doc =
    R"(The neural tangent kernel matrix of contexts (a row each), for networks of ``depth`` weight matrices.

>>> import neuralts, numpy as np
>>> neuralts.tangent_kernel(np.eye(2)).diagonal()
array([1.5, 1.5])
)";

}  // namespace

void bind_theory(py::module_& module) {
  using namespace py::literals;
  py::class_<Analysis>(module, "Analysis", "What theory knows of one world; made by analyse().")
      .def_readonly("env", &Analysis::env)
      .def_readonly("rounds", &Analysis::rounds)
      .def_readonly("arms", &Analysis::arms)
      .def_readonly("contexts", &Analysis::contexts)
      .def_readonly("lambda_", &Analysis::lambda)
      .def_readonly("lambda_0", &Analysis::lambda_0, "Smallest eigenvalue of the tangent kernel.")
      .def_property_readonly("spectrum", &list_view<&Analysis::spectrum>,
                             "Eigenvalues of the tangent kernel, largest first.")
      .def_readonly("effective_dimension", &Analysis::effective_dimension)
      .def_readonly("B", &Analysis::B, "Norm of the reward function in the kernel's space.")
      .def_readonly("estimated_reward", &Analysis::estimated_reward,
                    "The reward function is an estimate from revealed rewards.")
      .def_readonly("nu", &Analysis::nu, "The theorem's exploration.")
      .def_readonly("eta", &Analysis::eta, "The theorem's step.")
      .def_readonly("J", &Analysis::J, "The theorem's number of steps.")
      .def_readonly("bound", &Analysis::bound, "Of the regret, with the theorem's open constants set to 1.")
      .def_readonly("units_log10", &Analysis::units_log10,
                    "The theorem asks for ten to this many units; practice does not need it.")
      .def_readonly("curve_rounds", &Analysis::curve_rounds)
      .def_property_readonly("curve_dimension", &list_view<&Analysis::curve_dimension>)
      .def_property_readonly("curve_bound", &list_view<&Analysis::curve_bound>)
      .def_readonly("notes", &Analysis::notes, "What a reader should know about these numbers.");
  module.def(
      "analyse",
      [](const World& env, Whole rounds, Whole depth, Whole units, std::optional<double> lambda, double delta,
         double noise, Whole seed) {
        return analyse(env, {.rounds = rounds, .depth = depth, .units = units, .lambda = lambda, .delta = delta, .noise = noise, .seed = seed});
      },
      "env"_a, py::kw_only(), "rounds"_a = 0, "depth"_a = 2, "units"_a = 100, "lambda_"_a = py::none(),
      "delta"_a = 0.1, "noise"_a = 0.1, "seed"_a = 1, analyse_doc);
  module.def("tangent_kernel", &tangent_kernel, "contexts"_a, "depth"_a = 2, kernel_doc);
}

}  // namespace neuralts::python
