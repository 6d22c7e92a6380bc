// Judging policies from logs and from arrays, for Python. Answers travel as JSON: they are small.
#include "neuralts/evaluate.hpp"

#include <pybind11/stl.h>

#include "arrays.hpp"

namespace neuralts::python {

namespace {

EvaluationOptions to_options(const py::dict& given) {
  EvaluationOptions options;
  const auto take = [&](const char* key, auto& into) {
    if (given.contains(key)) into = given[key].template cast<std::decay_t<decltype(into)>>();
  };
  take("policies", options.policies), take("estimators", options.estimators), take("interval", options.interval);
  take("confidence", options.confidence), take("model", options.model), take("folds", options.folds),
      take("seed", options.seed);
  take("since", options.since), take("until", options.until), take("skip_bad", options.skip_bad);
  take("lowest_reward", options.lowest_reward), take("highest_reward", options.highest_reward),
      take("points", options.points);
  return options;
}

std::string evaluate_logs(const std::vector<std::string>& logs, const py::dict& given) {
  const EvaluationOptions options = to_options(given);
  const py::gil_scoped_release no_gil;
  return to_json(evaluate(logs, options));
}

/// Arrays that live as long as the call.
struct Feedback {
  Numbers context, reward, probabilities;
  std::vector<std::uint32_t> action;
  LoggedArrays arrays;
};

Feedback to_feedback(const py::dict& feedback) {
  Feedback out;
  out.reward = to_numbers(feedback["reward"], "reward");
  out.probabilities = to_numbers(feedback["probabilities"], "pi_b");
  out.action = to_arms(feedback["action"]);
  out.arrays = {.actions = feedback["n_actions"].cast<std::size_t>()};
  if (feedback.contains("context")) {
    out.context = to_numbers(feedback["context"], "context");
    out.arrays.context = view(out.context);
    out.arrays.length = static_cast<std::size_t>(out.context.shape(1));
  }
  out.arrays.action = out.action, out.arrays.reward = view(out.reward),
  out.arrays.probabilities = view(out.probabilities);
  return out;
}

std::string evaluate_arrays(const py::dict& feedback, const py::dict& policies, const py::object& predictions,
                            const py::dict& given) {
  const EvaluationOptions options = to_options(given);
  const Feedback held = to_feedback(feedback);
  std::vector<Numbers> rows;
  GivenRows all{.actions = held.arrays.actions};
  for (const auto& [name, probabilities] : policies) {
    rows.push_back(to_numbers(py::reinterpret_borrow<py::object>(probabilities), "action_dist"));
    all.policies.push_back({name.cast<std::string>(), view(rows.back())});
  }
  if (!predictions.is_none()) {
    rows.push_back(to_numbers(predictions, "predictions"));
    all.predictions = view(rows.back());
  }
  const py::gil_scoped_release no_gil;
  const auto events = array_events(held.arrays);
  return to_json(evaluate(*events, options, all));
}

py::tuple action_dist(const std::vector<std::string>& logs, const std::string& policy, std::uint64_t seed) {
  PolicyRows rows;
  {
    const py::gil_scoped_release no_gil;
    rows = policy_probabilities(logs, policy, seed);
  }
  return py::make_tuple(rows.actions, copied(rows.probabilities));
}

std::string tune_logs(const std::vector<std::string>& logs, const std::string& policy,
                      const std::vector<std::pair<std::string, std::vector<std::string>>>& set,
                      const py::dict& given) {
  const EvaluationOptions options = to_options(given);
  const py::gil_scoped_release no_gil;
  return to_json(tune(logs, policy, set, options));
}

}  // namespace

void bind_evaluate(py::module_& module) {
  using namespace py::literals;
  module.def("evaluate_logs", &evaluate_logs, "logs"_a, "options"_a,
             "Judges policies by logs; the evaluation as JSON.");
  module.def("evaluate_arrays", &evaluate_arrays, "feedback"_a, "policies"_a, "predictions"_a, "options"_a,
             "Judges policies, by name or by their probabilities, by arrays; the evaluation as JSON.");
  module.def("action_dist", &action_dist, "logs"_a, "policy"_a, "seed"_a,
             "How many actions, and a policy's probabilities row after row.");
  module.def("tune_logs", &tune_logs, "logs"_a, "policy"_a, "set"_a, "options"_a,
             "Settings against each other; as JSON.");
}

}  // namespace neuralts::python
