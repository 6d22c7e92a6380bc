#include "object_policy.hpp"

#include <pybind11/stl.h>

#include <chrono>

#include "arrays.hpp"
#include "features.hpp"
#include "params.hpp"
#include "pickled.hpp"

namespace neuralts::python {

namespace {

double now_or(const std::optional<double>& time) {
  return time ? *time : std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Seconds, "6h", or a timedelta.
double to_seconds(const py::object& after) {
  if (py::hasattr(after, "total_seconds")) return after.attr("total_seconds")().cast<double>();
  if (py::isinstance<py::str>(after)) return parse_duration(after.cast<std::string>(), "after");
  if (!py::isinstance<py::float_>(after) && !py::isinstance<py::int_>(after))
    throw py::type_error("after: seconds, a text such as \"6h\", or a timedelta is needed");
  return after.cast<double>();
}

std::string reward(SharedPolicy& policy, const std::string& event_id, double reward,
                   const std::optional<double>& time) {
  return to_string(policy.reward(event_id, reward, now_or(time)));
}

std::size_t expire(SharedPolicy& policy, const py::object& after, const std::optional<double>& reward,
                   const std::optional<double>& now) {
  return policy.expire(now_or(now), to_seconds(after), reward);
}

std::size_t position_of(const py::object& arm, const py::list& rows) {
  const py::list ids = action_ids(rows);
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (const py::object id = ids[i]; !id.is_none() && id.equal(arm)) return i;
  if (py::isinstance<py::int_>(arm) && arm.cast<long long>() >= 0 && arm.cast<std::size_t>() < ids.size())
    return arm.cast<std::size_t>();
  throw ContractError("there is no action " + py::repr(arm).cast<std::string>());
}

Explanation explain(const SharedPolicy& policy, const py::object& decision, const py::object& actions,
                    const py::object& action) {
  if (py::isinstance<ObjectChoice>(decision)) {
    const auto& choice = decision.cast<const ObjectChoice&>();
    return policy.explain(choice.objects, choice.choice.arm);
  }
  if (!policy.takes_objects())
    throw ContractError("this policy takes numbers: one that was made with features= can be explained");
  const py::list rows = rows_of(actions);
  return policy.explain(to_objects(decision, rows), action.is_none() ? 0 : position_of(action, rows));
}

py::dict fit(SharedPolicy& policy, const py::object& log, bool weigh, double largest, bool skip_bad) {
  const py::object path = py::hasattr(log, "path") ? py::object(log.attr("path")) : log;
  const FitReport report = policy.fit(to_path(path), {.weigh = weigh, .largest = largest, .skip_bad = skip_bad});
  using namespace py::literals;
  return py::dict("events"_a = report.events, "without_reward"_a = report.without_reward,
                  "mean_weight"_a = report.events > 0 ? report.weight_sum / static_cast<double>(report.events) : 0.0,
                  "largest_weight"_a = report.weight_largest);
}

void log_to(SharedPolicy& policy, const py::object& log) {
  if (log.is_none()) return policy.log_to(nullptr);
  if (py::isinstance<LogWriter>(log)) return policy.log_to(log.cast<std::shared_ptr<LogWriter>>());
  policy.log_to(std::make_shared<LogWriter>(to_path(log)));
}

template <std::vector<double> Decision::*list>
py::array_t<double> list_view(const py::object& self) {
  return borrowed(self.cast<const ObjectChoice&>().choice.decision.*list, self);
}

std::string repr(const ObjectChoice& c) {
  return "Choice(action=" + py::repr(c.action).cast<std::string>() +
         ", probability=" + py::repr(py::float_(c.choice.probability)).cast<std::string>() + ", event_id='" +
         c.choice.event_id + "')";
}

py::tuple choice_state(const ObjectChoice& c) {
  return py::make_tuple(c.choice.event_id, c.choice.arm, c.choice.action, c.choice.probability,
                        pickled(c.choice.decision), pickled(c.objects), c.action);
}

ObjectChoice choice_from(const py::tuple& kept) {
  return {{.event_id = kept[0].cast<std::string>(),
           .arm = kept[1].cast<std::size_t>(),
           .action = kept[2].cast<std::string>(),
           .probability = kept[3].cast<double>(),
           .decision = unpickled_decision(kept[4].cast<py::tuple>())},
          unpickled_objects(kept[5].cast<py::list>()),
          kept[6]};
}

void bind_choice(py::module_& module) {
  py::class_<ObjectChoice>(module, "Choice", "What a policy with features chose. The lists have one entry per action and are read-only.")
      .def_readonly("action", &ObjectChoice::action, "The id of the action chosen, as it was given; its position where it has none.")
      .def_property_readonly("probability", [](const ObjectChoice& c) { return c.choice.probability; }, "With which it was chosen.")
      .def_property_readonly("event_id", [](const ObjectChoice& c) { return c.choice.event_id; }, "By which its reward finds it.")
      .def_property_readonly("arm", [](const ObjectChoice& c) { return c.choice.arm; }, "Its position among the actions offered.")
      .def_property_readonly("estimated", [](const ObjectChoice& c) { return c.choice.decision.estimated; }, "The probabilities are an estimate.")
      .def_property_readonly("probabilities", &list_view<&Decision::probabilities>, "Of every action; they sum to 1.")
      .def_property_readonly("mean", &list_view<&Decision::mean>, "Believed reward of each action.")
      .def_property_readonly("width", &list_view<&Decision::width>, "Standard deviation of each believed reward, nu not applied.")
      .def_property_readonly("score", &list_view<&Decision::score>, "What the rule compared.")
      .def("__repr__", &repr)
      .def(py::pickle(&choice_state, &choice_from));
}

void bind_explanation(py::module_& module) {
  py::class_<Contribution>(module, "Contribution", "What a field, or a product of two, adds.")
      .def_readonly("name", &Contribution::name)
      .def_readonly("mean", &Contribution::mean)
      .def_readonly("width", &Contribution::width)
      .def("__repr__", [](const Contribution& c) {
        return "<" + c.name + ": mean " + py::str(py::float_(c.mean)).cast<std::string>() + ">";
      });
  py::class_<Explanation>(module, "Explanation", "What moved a choice; print it to read it.")
      .def_readonly("action", &Explanation::action)
      .def_readonly("other", &Explanation::other, "The action with the highest mean of the rest.")
      .def_readonly("mean", &Explanation::mean)
      .def_readonly("width", &Explanation::width)
      .def_readonly("other_mean", &Explanation::other_mean)
      .def_readonly("other_width", &Explanation::other_width)
      .def_readonly("contributions", &Explanation::contributions, "Largest mean first, by size.")
      .def(
          "to_text", [](const Explanation& e, std::size_t most) { return without_line_end(e.to_text(most)); },
          py::arg("most") = 12)
      .def("__str__", [](const Explanation& e) { return without_line_end(e.to_text()); });
}

constexpr const char* reward_doc =
    R"(The reward of a decision, now or hours later: "learned", "duplicate", "expired" or "unknown". Only the first changes anything.

>>> import neuralts
>>> p = neuralts.Policy("random", features="auto")
>>> d = p.select({"hour": 3}, ["a", "b"])
>>> p.reward(d.event_id, 1.0), p.reward(d.event_id, 1.0), p.reward("nobody", 1.0)
('learned', 'duplicate', 'unknown')
)";

constexpr const char* expire_doc =
    R"(Settles what was decided longer than ``after`` ago and is still open: as ``default``, or, without one, given up. How many there were.

>>> import neuralts
>>> p = neuralts.Policy("random", features="auto")
>>> d = p.select({"hour": 3}, ["a", "b"], time=0)
>>> p.expire(after="6h", default=0.0), p.reward(d.event_id, 1.0)
(1, 'expired')
)";

constexpr const char* fit_doc =
    R"(Learns from a log (a path, or what read_log() gave) whose decisions others have made, with importance weights.

Rounds weigh 1 / (arms * probability), at most ``largest``, and 1 / kept; ``weigh=False``: all alike. A schema is learned from the log first.)";

std::string event_id_of(const py::object& given) {
  if (given.is_none()) return "";
  try {
    return py::str(given).cast<std::string>();
  } catch (const py::cast_error&) {
    throw py::value_error("the event's id is not Unicode (half of a surrogate pair)");
  }
}

}  // namespace

py::object select_object(SharedPolicy& policy, const py::object& context, const py::object& actions,
                         const py::object& event_id, const std::optional<double>& time) {
  if (actions.is_none())
    throw ContractError("this policy was made with features: say between which actions with actions=");
  ObjectChoice chosen;
  const py::list rows = rows_of(actions);
  chosen.objects = to_objects(context, rows);
  chosen.choice = policy.choose(chosen.objects, now_or(time), event_id_of(event_id));
  chosen.action = action_ids(rows)[chosen.choice.arm];
  if (chosen.action.is_none()) chosen.action = py::int_(chosen.choice.arm);
  return py::cast(std::move(chosen));
}

void bind_object_policy(py::module_& module, py::class_<SharedPolicy, std::shared_ptr<SharedPolicy>>& policy) {
  using namespace py::literals;
  bind_choice(module);
  bind_explanation(module);
  policy.def("reward", &reward, "event_id"_a, "reward"_a, py::kw_only(), "time"_a = py::none(), reward_doc)
      .def("expire", &expire, "after"_a, "default"_a = py::none(), py::kw_only(), "now"_a = py::none(), expire_doc)
      .def("explain", &explain, "decision"_a, "actions"_a = py::none(), "action"_a = py::none(),
           "What moved a choice: explain(decision), or explain(context, actions, action).")
      .def("fit", &fit, "log"_a, py::kw_only(), "weigh"_a = true, "largest"_a = 10.0, "skip_bad"_a = false, fit_doc)
      .def("retire", &SharedPolicy::retire, "arm"_a, "Makes room for another arm where arms are known by name; False: there is no such arm.")
      .def("log_to", &log_to, "log"_a, "Decisions and rewards are logged there from now on: a LogWriter, a path, or None for no longer.")
      .def_property_readonly("open", &SharedPolicy::open, "Decisions that wait for their rewards.")
      .def_property_readonly("arm_names", &SharedPolicy::arm_names, "Arms known by name, those retired left out.")
      .def_property_readonly("frozen", &SharedPolicy::frozen, "The schema changes no more.")
      .def_property_readonly(
          "features", [](const SharedPolicy& p) { return p.takes_objects() ? as_features(p.schema()) : py::none(); },
          "How objects become numbers; None before there is a schema, or for a policy over numbers.");
}

}  // namespace neuralts::python
