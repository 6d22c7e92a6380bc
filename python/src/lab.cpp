// Many runs, for Python: a sweep that one thread runs while another watches it or stops it. Records travel as
// the lines of JSON that results folders hold.
#include "neuralts/lab.hpp"

#include <pybind11/stl.h>

#include <atomic>
#include <mutex>

#include "own_policy.hpp"
#include "params.hpp"
#include "whole.hpp"
#include "world.hpp"

namespace neuralts::python {

namespace {

std::vector<std::string> lines_of(const std::vector<Record>& records) {
  std::vector<std::string> lines;
  for (const auto& record : records) lines.push_back(to_json(record));
  return lines;
}

class Sweep {
 public:
  Sweep(Grid grid, const std::vector<World>& worlds, const py::dict& own, const std::string& folder,
        std::size_t jobs, const std::string& data_dir)
      : experiment_{{std::move(grid)}} {
    for (const auto& [name, policy] : own) {
      const auto [maker, identity] = policy.cast<std::pair<py::object, std::string>>();
      options_.policies[py::str(name)] = {own_policy(py::str(name), maker), identity};
    }
    progress_.total = expand(experiment_, options_.policies).size();
    if (!folder.empty()) folder_.emplace(folder);
    options_.folder = folder_ ? &*folder_ : nullptr;
    options_.jobs = jobs;
    options_.data_dir = data_dir;
    for (const auto& world : worlds) options_.worlds[world.label()] = world.env;
    options_.stop = [this] { return stopped_.load(); };
    options_.progress = [this](const SweepProgress& now) {
      const std::lock_guard guard(mutex_);
      progress_ = now;
    };
  }
  std::vector<std::string> run() {
    const py::gil_scoped_release no_gil;
    return lines_of(run_experiment(experiment_, options_));
  }
  void stop() { stopped_ = true; }
  /// (runs done, of how many, failed): a run under way counts as the part of it that is done.
  py::tuple progress() const {
    const std::lock_guard guard(mutex_);
    return py::make_tuple(static_cast<double>(progress_.done + progress_.skipped) + progress_.running,
                          progress_.total, progress_.failed);
  }

 private:
  Experiment experiment_;
  std::optional<ResultsFolder> folder_;
  SweepOptions options_;
  std::atomic<bool> stopped_{false};
  mutable std::mutex mutex_;
  SweepProgress progress_;
};

std::unique_ptr<Sweep> make_sweep(std::vector<std::string> envs, std::vector<std::string> policies,
                                  std::map<std::string, std::vector<std::string>> set,
                                  const std::vector<Whole>& seeds, std::vector<std::string> delays,
                                  Whole rounds, const std::vector<World>& worlds, const py::dict& own,
                                  const std::string& folder, Whole jobs, const std::string& data_dir) {
  Grid grid{.envs = std::move(envs), .policies = std::move(policies), .set = std::move(set), .seeds = {seeds.begin(), seeds.end()}, .delays = std::move(delays), .rounds = rounds};
  return std::make_unique<Sweep>(std::move(grid), worlds, own, folder, jobs, data_dir);
}

void write_results(const py::object& path, const std::vector<std::string>& lines) {
  ResultsFolder folder(to_path(path));
  for (const auto& line : lines) folder.append(record_from_json(line));
  folder.finish();
}

std::string report(const py::object& path, const std::string& title, bool theory, const std::string& data_dir) {
  const ResultsFolder folder(to_path(path));
  const py::gil_scoped_release no_gil;
  return write_report(folder, {.title = title, .theory = theory, .data_dir = data_dir});
}

}  // namespace

void bind_lab(py::module_& module) {
  using namespace py::literals;
  py::class_<Sweep>(module, "Sweep", "An experiment under way; neuralts.run() drives it.")
      .def(py::init(&make_sweep), py::kw_only(), "envs"_a, "policies"_a, "set"_a, "seeds"_a, "delays"_a,
           "rounds"_a, "worlds"_a, "own"_a, "folder"_a, "jobs"_a, "data_dir"_a)
      .def("run", &Sweep::run, "Runs what the folder does not hold yet; a line of JSON per run.")
      .def("stop", &Sweep::stop, "Makes run() return soon, with the runs that ended.")
      .def("progress", &Sweep::progress, "(runs done, of how many, failed)");
  module.def(
      "read_results", [](const py::object& path) { return lines_of(ResultsFolder(to_path(path)).records()); },
      "path"_a, "The records of a results folder, a line of JSON each.");
  module.def(
      "unreadable_results", [](const py::object& path) { return ResultsFolder(to_path(path)).unreadable(); },
      "path"_a, "What of a results folder is no record, a sentence each.");
  module.def("band_half_width", &band_half_width, "values"_a,
             "Half the width of the band around a mean in every chart: its 90 % confidence interval.");
  module.def("write_results", &write_results, "path"_a, "lines"_a, "Adds records to a results folder.");
  module.def("write_report", &report, "path"_a, "title"_a = "", "theory"_a = true, "data_dir"_a = "",
             "Writes report.html and its tables into a results folder; the path of report.html.");
}

}  // namespace neuralts::python
