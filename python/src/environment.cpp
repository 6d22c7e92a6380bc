// Environment and Episode, for Python.
#include <pybind11/stl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>

#include "arrays.hpp"
#include "neuralts/environment.hpp"
#include "own_world.hpp"
#include "params.hpp"
#include "whole.hpp"
#include "world.hpp"

namespace neuralts::python {

namespace {

World make(const std::string& text, const std::string& data_dir, const py::kwargs& given) {
  const std::string params = to_string(to_params(given));
  const std::string joint = params.empty() ? "" : text.find(':') == std::string::npos ? ":" : ",";
  const py::gil_scoped_release no_gil;
  return {make_environment(text + joint + params, data_dir), text + joint + params};
}

std::vector<std::string> column_names(const py::object& table) {
  std::vector<std::string> names;
  if (py::hasattr(table, "columns"))
    for (const auto& name : table.attr("columns")) names.push_back(py::str(name));
  return names;
}

World from_arrays(const py::object& x, const py::object& y, const std::string& name, const py::kwargs& given) {
  const Numbers features = to_numbers(x, "X");
  if (features.ndim() != 2)
    throw ContractError("X of shape " + shape_text(features) + ": a matrix with a row per sample is needed");
  refuse_missing(y, "y");
  const py::tuple found = py::module_::import("numpy").attr("unique")(y, py::arg("return_inverse") = true);
  const auto labels = to_arms(found[1]);
  if (static_cast<py::ssize_t>(labels.size()) != features.shape(0))
    throw ContractError("X has " + std::to_string(features.shape(0)) + " rows but y has " +
                        std::to_string(labels.size()) + " labels");
  std::vector<std::string> classes;
  for (const auto& label : found[0]) classes.push_back(py::str(label));
  return {make_environment({.name = name,
                            .features = view(features),
                            .columns = static_cast<std::size_t>(features.shape(1)),
                            .labels = labels,
                            .classes = classes,
                            .column_names = column_names(x)},
                           to_params(given))};
}

// Nobody can see what a function does: without a version that its author gives, results of it are never used again.
std::string identity_of(const std::string& version) {
  static std::atomic<std::uint64_t> made{0};
  if (!version.empty()) return "version " + version;
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return "object " + std::to_string(::getpid()) + " " + std::to_string(now) + " " + std::to_string(++made);
}

World from_function(const py::function& start, Whole dim, Whole arms, Whole max_arms, Whole rounds,
                    const std::string& name, const std::string& version) {
  EnvironmentInfo info{.name = name,
                       .shape = {.length = dim, .blocks = arms},
                       .max_arms = max_arms == 0 && arms > 1 ? arms : max_arms,
                       .rounds = rounds};
  return {make_own_world(std::move(info), start, identity_of(version))};
}

/// One run through a world. Python may keep what it got from a round, so everything is handed out as a copy.
class Rounds {
 public:
  Rounds(std::shared_ptr<const Environment> env, std::uint64_t seed)
      : env_(std::move(env)), episode_(env_->start(seed)) {}

  Rounds& next() {
    under_way_ = episode_->next();
    if (!under_way_) throw py::stop_iteration();
    under_way_ = false;  // a round that is refused is none
    check_round(env_->info(), ++round_, *episode_);
    under_way_ = true;
    return *this;
  }
  py::object contexts() const {
    const Contexts& offered = now().contexts();
    if (offered.shared()) return copied(offered[0].values);
    const std::span<const double> all(offered[0].values.data(), offered.arms() * offered.length());
    return copied(all).reshape(
        {static_cast<py::ssize_t>(offered.arms()), static_cast<py::ssize_t>(offered.length())});
  }
  std::vector<std::size_t> arms() const {
    std::vector<std::size_t> list;
    const Contexts& offered = now().contexts();
    for (std::size_t k = 0; k < offered.arms(); ++k) list.push_back(offered.shared() ? offered[k].block : k);
    return list;
  }
  py::object expected() const {
    const auto values = now().expected();
    return values.empty() ? py::object(py::none()) : py::object(copied(values));
  }
  std::optional<double> reward(Whole arm) {
    Episode& episode = now();
    const std::size_t position = position_of(arm, episode.contexts());
    const auto reward = episode.reward(position);
    if (reward) check_paid(env_->info(), round_, episode, position, *reward);
    return reward;
  }

 private:
  static std::size_t position_of(std::size_t arm, const Contexts& offered) {
    if (!offered.shared() && arm < offered.arms()) return arm;
    for (std::size_t k = 0; offered.shared() && k < offered.arms(); ++k)
      if (offered[k].block == arm) return k;
    throw ContractError("there is no arm " + std::to_string(arm) + " in this round, which offers " +
                        std::to_string(offered.arms()));
  }
  Episode& now() const {
    if (!under_way_) throw ContractError("no round is under way: call next() on the episode first");
    return *episode_;
  }
  std::shared_ptr<const Environment> env_;
  std::unique_ptr<Episode> episode_;
  std::size_t round_ = 0;
  bool under_way_ = false;
};

constexpr const char* environment_doc = R"(A world: shows contexts, pays rewards.

Environment(text, *, data_dir="", **params)
Environment(X, y, *, name="arrays", **params)
Environment(start, *, dim, arms=1, max_arms=0, rounds=1000, name="own", version="")

``text`` is a name from ``neuralts.environments()``, a data set, or a file. ``X`` has a row of numbers per sample (NaN: not
known), ``y`` their labels of any kind but missing ones: each label becomes an arm, the right one pays 1; ``params`` are those of the data sets.
``start`` is a function of a seed, often a generator: it gives rounds ``(contexts, rewards)`` or ``(contexts, rewards, expected)``
with a row of contexts and a number for each arm, finite and up to 1e15; with ``arms`` > 1, the one x that these arms share.
``max_arms``: the most arms a round offers, more are refused; 0: not said, or all of ``arms``. A results folder uses what it
holds again only for the same data, and for a function only where ``version`` is given and the same.
Immutable; any number of episodes may run at once.

>>> import neuralts
>>> env = neuralts.Environment("quadratic", dim=5, arms=3)
>>> for round in env.start(seed=1):
...     print(round.contexts.shape, round.arms)
...     break
(3, 5) [0, 1, 2]
>>> env = neuralts.Environment([[1, 0], [0, 1]], ["up", "down"])
>>> env.arm_labels, env.dim, env.max_rounds
(['down', 'up'], 2, 2)
>>> def coins(seed):
...     while True:
...         yield [[1, 0], [0, 1]], [0.3, 0.7]
>>> next(neuralts.Environment(coins, dim=2, max_arms=2).start()).reward(1)
0.7
)";

}  // namespace

void bind_environment(py::module_& module) {
  using namespace py::literals;
  py::class_<Rounds>(module, "Episode", "One run through a world: iterate it, and ask each round for its contexts and rewards.")
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__", [](py::object self) { self.cast<Rounds&>().next(); return self; })
      .def_property_readonly("contexts", &Rounds::contexts, "A matrix with a row per arm, or the one x that all arms share.")
      .def_property_readonly("arms", &Rounds::arms, "The arms this round offers.")
      .def_property_readonly("expected", &Rounds::expected, "Expected reward of each arm offered; None where nobody knows.")
      .def("reward", &Rounds::reward, "arm"_a, "The reward of one of the `arms` offered, the same however often it is asked for; None where a log holds another's.");
  py::class_<World>(module, "Environment", environment_doc)
      .def(py::init(&make), "text"_a, py::kw_only(), "data_dir"_a = "")
      .def(py::init(&from_arrays), "X"_a, "y"_a, py::kw_only(), "name"_a = "arrays")
      .def(py::init(&from_function), "start"_a, py::kw_only(), "dim"_a, "arms"_a = 1, "max_arms"_a = 0, "rounds"_a = 1000, "name"_a = "own", "version"_a = "")
      .def("start", [](const World& world, Whole seed) { return std::make_unique<Rounds>(world.env, seed); }, "seed"_a = 1,
           "The episode of a seed: a pure function of it.")
      .def_property_readonly("name", [](const World& w) { return w.info().name; })
      .def_property_readonly("dim", [](const World& w) { return w.info().shape.length; }, "The length of a context.")
      .def_property_readonly("arms", [](const World& w) { return w.info().shape.blocks; }, "Arms that share one x; 1 where each has its own vector.")
      .def_property_readonly("max_arms", [](const World& w) { return w.info().max_arms; }, "The most arms a round offers; 0: not said.")
      .def_property_readonly("rounds", [](const World& w) { return w.info().rounds; }, "The default horizon.")
      .def_property_readonly("max_rounds", [](const World& w) { return w.info().max_rounds; }, "How many rounds there are; 0: endless.")
      .def_property_readonly("arm_labels", [](const World& w) { return w.info().arm_labels; })
      .def_property_readonly("column_names", [](const World& w) { return w.info().column_names; })
      .def_property_readonly("label", &World::label, "How results call it: the text that made it, or its name.")
      .def("__repr__", [](const World& w) { return "Environment('" + w.label() + "', dim=" + std::to_string(w.info().shape.length) + ")"; });
  module.def("refuse_missing", [](const py::object& labels, const std::string& who) { refuse_missing(labels, who.c_str()); }, "labels"_a, "who"_a,
             "Raises ContractError where a label is not there: None, NaN, pandas' NA, a masked one.");
}

}  // namespace neuralts::python
