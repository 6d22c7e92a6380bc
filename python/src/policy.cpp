// Policy and Selector, for Python.
#include <pybind11/stl.h>

#include <array>
#include <fstream>

#include "chosen.hpp"
#include "object_policy.hpp"
#include "params.hpp"
#include "rounds.hpp"
#include "shared_policy.hpp"
#include "whole.hpp"

namespace neuralts::python {

namespace {

using Held = std::shared_ptr<SharedPolicy>;
using Seed = std::optional<Whole>;

// Matrices and vectors, one after the other, row by row.
std::vector<double> flat(const py::object& weights) {
  std::vector<double> out;
  if (weights.is_none()) return out;
  for (const py::handle layer : weights) {
    const Numbers numbers = to_numbers(py::reinterpret_borrow<py::object>(layer), "weights");
    out.insert(out.end(), view(numbers).begin(), view(numbers).end());
  }
  return out;
}

// "auto", a dictionary, or JSON.
FeatureSettings to_features(const py::object& features) {
  if (py::isinstance<py::str>(features)) return parse_features(features.cast<std::string>());
  if (!py::isinstance<py::dict>(features)) throw py::type_error("features: \"auto\" or a dict is needed");
  return parse_features(py::module_::import("json").attr("dumps")(features).cast<std::string>());
}

Held make(const std::string& name, const std::optional<Whole>& dim, Whole arms,
          Whole seed, const std::string& preset, const py::object& weights,
          const py::object& features, const py::kwargs& params) {
  refuse_unknown("policy " + name, params, policy_info(name).params);
  if (!features.is_none()) {
    if (dim) throw ContractError("dim and features: the length of a context is what the features make it");
    SessionSpec spec;
    spec.policy = {.name = name, .preset = preset, .params = to_params(params), .shape = {}, .seed = seed, .weights = flat(weights)};
    spec.features = to_features(features);
    spec.most_arms = arms == 1 ? 0 : arms.value;
    return std::make_shared<SharedPolicy>(Session(std::move(spec)));
  }
  if (!dim) throw py::type_error("Policy: dim is needed, or features=\"auto\" to choose between objects");
  return std::make_shared<SharedPolicy>(Agent({.name = name,
                                               .preset = preset,
                                               .params = to_params(params),
                                               .shape = {.length = *dim, .blocks = arms},
                                               .seed = seed,
                                               .weights = flat(weights)}));
}

Chosen choose(SharedPolicy& policy, const Offer& offer, const Seed& seed) {
  if (!seed) return chosen_of(policy.choose(offer.contexts), offer);
  Stream stream(*seed, Purpose::exploration);
  return chosen_of(policy.choose(offer.contexts, stream), offer);
}

Chosen choose(Selector& selector, const Offer& offer) { return chosen_of(selector.choose(offer.contexts), offer); }

py::object select(SharedPolicy& policy, const py::object& contexts, const py::object& actions,
                  const Seed& seed, const py::object& event_id, const std::optional<double>& time) {
  if (policy.takes_objects()) {
    if (seed) throw ContractError("seed: a policy with features draws from its own stream");
    return select_object(policy, contexts, actions, event_id, time);
  }
  if (!actions.is_none())
    throw ContractError(
        "this policy takes numbers: make it with features=\"auto\" to choose between objects");
  return py::cast(choose(policy, to_offer(contexts, policy.shape()), seed));
}

Chosen select_disjoint(SharedPolicy& policy, const py::object& x, const py::object& arms, const Seed& seed) {
  return choose(policy, to_disjoint(x, arms, policy.shape()), seed);
}

void learn(SharedPolicy& policy, const py::object& contexts, const py::object& rewards, const py::object& arms,
           const py::object& weights) {
  policy.learn(to_history(contexts, rewards, arms, weights, policy.shape()).rounds);
}

void played(SharedPolicy& policy, const py::object& context, const py::object& arm, const py::object& among) {
  Numbers numbers;
  const Slice played = to_slice(context, arm, policy.shape(), numbers);
  if (!among.is_none()) policy.offered(to_offer(among, policy.shape()).contexts);
  policy.played(played);
}

py::bytes to_bytes(const SharedPolicy& policy) {
  const auto bytes = policy.bytes();
  return {bytes.data(), bytes.size()};
}

Held from_bytes(const py::bytes& bytes) {
  return SharedPolicy::from_bytes(static_cast<std::string_view>(bytes), "pickled policy");
}

Held copy(const SharedPolicy& policy) { return SharedPolicy::from_bytes(policy.bytes(), "copied policy"); }

Held load(const py::object& path) {
  const std::string file = to_path(path);
  std::array<char, 64> first{};  // of a folder there are none: load() says why
  std::ifstream in(file, std::ios::binary);
  in.read(first.data(), first.size());
  if (Session::is_session(std::span(first).first(static_cast<std::size_t>(in.gcount()))))
    return std::make_shared<SharedPolicy>(Session::load(file));
  return std::make_shared<SharedPolicy>(Agent::load(file));
}

std::string repr(const SharedPolicy& policy) {
  const PolicySpec& spec = policy.spec();
  std::string text = "Policy('" + spec.name + "', " +
                     (policy.takes_objects() ? "features=..." : "dim=" + std::to_string(spec.shape.length));
  if (spec.shape.blocks > 1) text += ", arms=" + std::to_string(spec.shape.blocks);
  text += ", seed=" + std::to_string(spec.seed);
  if (!spec.preset.empty()) text += ", preset='" + spec.preset + "'";
  for (const auto& [key, value] : spec.params) text += ", " + key + "=" + value;
  return text + ")";
}

constexpr const char* policy_doc =
    R"(A policy: sees a context for each arm, picks one, learns from rewards, late or at once.

Policy(name, *, dim, arms=1, seed=1, preset="", weights=None, **params)         between vectors of numbers
Policy(name, *, features="auto", arms=1, seed=1, preset="", **params)           between objects

``dim`` is the length of a context. With vectors of their own for each arm leave ``arms`` at 1; where all arms share one x
(disjoint contexts), ``arms`` says how many there are. ``params`` are the policy's own: see ``neuralts.policies()``; a key is
written with _ for -, and ``lambda_`` for lambda.
With ``features`` a choice is made between objects: "auto" learns a schema from the first events, a dict declares the fields. Then
``arms`` above 1 gives every action, known by its id, a model of its own; so many may be there at once.
``weights`` starts neural-ts or neural-ucb from a given network: its arrays layer after layer, each matrix with a row per output,
as ``[p.detach().numpy() for p in network.parameters()]`` of a PyTorch one.
May be used from many threads: ``select(..., seed=)`` and ``selector()`` share the policy, everything else has it alone.

>>> import neuralts, numpy as np
>>> p = neuralts.Policy("random", dim=3, seed=1)
>>> contexts = np.eye(3)
>>> d = p.select(contexts)
>>> p.learn(contexts[d.arm], 1.0)
>>> p
Policy('random', dim=3, seed=1...)
)";

constexpr const char* select_doc =
    R"(Chooses an arm; ``contexts`` has a row per arm, or is the one x that all arms share.

Draws from the policy's own stream and marks the choice as played. With ``seed`` it is a pure function of the policy, the
contexts and the seed: nothing is drawn from the stream, nothing is marked, and many threads may ask at once.

A policy with features takes a dict and the actions: dicts with an "id", or plain ids, or a frame with a row per action. What it
gives back has ``action``, ``probability`` and the ``event_id`` by which reward() finds it.

>>> import neuralts, numpy as np
>>> p = neuralts.Policy("random", dim=2)
>>> p.select(np.eye(2), seed=7).arm == p.select(np.eye(2), seed=7).arm
True
)";

constexpr const char* disjoint_doc =
    R"(Chooses for arms that share one x: ``arms`` is None (all), a count, or a list of arm numbers.

The decision's ``arm`` is one of those offered, as learn() takes it; ``position`` is its place in that list.

>>> import neuralts
>>> p = neuralts.Policy("random", dim=2, arms=5)
>>> d = p.select_disjoint([0.6, 0.8], arms=[4])
>>> d.arm, d.position, len(d.probabilities)
(4, 0, 1)
>>> p.learn([0.6, 0.8], 1.0, arms=d.arm)
)";

constexpr const char* learn_doc =
    R"(Learns from finished rounds: one context and its reward, or a matrix and a list.

``arms`` says whose they were; needed when the arms share one x. ``weights`` says how often each counts (importance, sampling):
2 is the round twice, in mean and width alike. All rounds are checked before the first changes anything.

>>> import neuralts
>>> p = neuralts.Policy("random", dim=2, arms=3)
>>> p.learn([[0.6, 0.8], [1.0, 0.0]], [1, 0], arms=[2, 0])
)";

constexpr const char* played_doc =
    R"(Tells that a context was played that select() did not mark: one chosen with a seed, by a selector, or elsewhere.

``among``: all contexts of its decision, as select() took them. A policy whose arms share weights learns from them which
columns they have in common.)";

constexpr const char* selector_doc =
    R"(A stream of decisions of its own, for a thread that serves while others do too. Marks nothing as played.

>>> import neuralts, numpy as np
>>> p = neuralts.Policy("random", dim=2)
>>> s = p.selector(seed=7)
>>> s.select(np.eye(2)).arm == p.select(np.eye(2), seed=7).arm
True
)";

}  // namespace

void bind_policy(py::module_& module) {
  using namespace py::literals;
  py::class_<Selector>(module, "Selector", "A stream of decisions of its own from a shared policy; made by Policy.selector().")
      .def("select", [](Selector& s, const py::object& contexts) { return choose(s, to_offer(contexts, s.shape())); }, "contexts"_a,
           "As Policy.select, drawing from this selector's stream and marking nothing as played.")
      .def("select_disjoint",
           [](Selector& s, const py::object& x, const py::object& arms) { return choose(s, to_disjoint(x, arms, s.shape())); }, "x"_a,
           "arms"_a = py::none(), "As Policy.select_disjoint, drawing from this selector's stream.");
  py::class_<SharedPolicy, Held> policy(module, "Policy", policy_doc);
  bind_object_policy(module, policy);
  policy
      .def(py::init(&make), "name"_a, py::kw_only(), "dim"_a = py::none(), "arms"_a = 1, "seed"_a = 1, "preset"_a = "", "weights"_a = py::none(),
           "features"_a = py::none())
      .def("select", &select, "contexts"_a, "actions"_a = py::none(), py::kw_only(), "seed"_a = py::none(), "event_id"_a = py::none(),
           "time"_a = py::none(), select_doc)
      .def("select_disjoint", &select_disjoint, "x"_a, "arms"_a = py::none(), py::kw_only(), "seed"_a = py::none(), disjoint_doc)
      .def("selector", [](const Held& held, Whole seed) { return std::make_unique<Selector>(held, seed); }, "seed"_a, selector_doc)
      .def("played", &played, "context"_a, "arm"_a = py::none(), py::kw_only(), "among"_a = py::none(), played_doc)
      .def("learn", &learn, "contexts"_a, "rewards"_a, "arms"_a = py::none(), "weights"_a = py::none(), learn_doc)
      .def("save", [](const SharedPolicy& p, const py::object& path) { p.save(to_path(path)); }, "path"_a,
           "Writes the policy and its stream to a file; load() continues exactly where save() stood.")
      .def_static("load", &load, "path"_a, "The policy that save() wrote.")
      .def("copy", &copy, "A policy of its own that continues exactly as this one does.")
      .def("__copy__", &copy)
      .def("__deepcopy__", [](const SharedPolicy& p, const py::dict&) { return copy(p); }, "memo"_a)
      .def(py::pickle(&to_bytes, &from_bytes))
      .def_property_readonly("name", [](const SharedPolicy& p) { return p.spec().name; })
      .def_property_readonly("preset", [](const SharedPolicy& p) { return p.spec().preset; })
      .def_property_readonly("dim", [](const SharedPolicy& p) { return p.spec().shape.length; }, "The length of a context.")
      .def_property_readonly("arms", [](const SharedPolicy& p) { return p.spec().shape.blocks; }, "Arms that share one x; 1 otherwise.")
      .def_property_readonly("seed", [](const SharedPolicy& p) { return p.spec().seed; })
      .def_property_readonly("params", [](const SharedPolicy& p) { return typed(p.resolved()); }, "Every parameter with the value in force.")
      .def_property_readonly("notes", &SharedPolicy::notes, "Remarks a user should read once.")
      .def_property_readonly("memory", &SharedPolicy::memory, "Bytes held for what was learned.")
      .def("__repr__", &repr);
}

}  // namespace neuralts::python
