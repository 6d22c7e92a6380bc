// A run that writes its log, for Python.
#include "neuralts/lab.hpp"
#include "neuralts/run_log.hpp"
#include "params.hpp"
#include "whole.hpp"
#include "world.hpp"

namespace neuralts::python {

namespace {

std::string log_run(const World& world, const std::string& policy, const py::object& path, Whole rounds,
                    Whole seed, const std::string& preset, const py::kwargs& params) {
  RunSpec spec{.env = world.label(), .policy = {.name = policy, .preset = preset, .params = to_params(params), .shape = world.info().shape}, .seed = seed, .rounds = rounds, .delay = {}};
  const std::string file = to_path(path);
  const py::gil_scoped_release no_gil;
  RunLog log(file, world.info(), spec);
  const RunHooks hooks{
      .progress = {}, .record = [&log](const RoundRecord& record) { log.write(record); }, .stop = {}};
  Record record;
  record.spec = spec;
  record.result = run(*world.env, spec, hooks);
  log.finish();
  return to_json(record);
}

}  // namespace

void bind_log(py::module_& module) {
  using namespace py::literals;
  module.def("log_run", &log_run, "env"_a, "policy"_a, "path"_a, py::kw_only(), "rounds"_a = 0, "seed"_a = 1,
             "preset"_a = "",
             "Runs a policy in a world and writes every round to a log; the record as a line of JSON.");
}

}  // namespace neuralts::python
