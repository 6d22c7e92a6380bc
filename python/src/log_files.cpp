// Logs written and read, for Python.
#include <pybind11/stl.h>

#include <chrono>

#include "arrays.hpp"
#include "neuralts/error.hpp"
#include "neuralts/log.hpp"
#include "objects.hpp"
#include "params.hpp"

namespace neuralts::python {

namespace {

using OptionalNumber = std::optional<double>;

double now_or(const OptionalNumber& time) {
  return time ? *time : std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// 0 never rotates; a size below a byte would be 0 unasked.
std::size_t rotation_of(double megabytes) {
  if (megabytes == 0 || (megabytes >= 1e-6 && megabytes <= 1e12)) return static_cast<std::size_t>(megabytes * 1e6);
  throw ContractError("rotate_mb=" + py::repr(py::float_(megabytes)).cast<std::string>() +
                      ": a size from 0.000001 to 1e12 is needed, or 0 for never");
}

std::shared_ptr<LogWriter> open_writer(const py::object& path, const std::string& format, double rotate_mb,
                                       bool compress, bool append, double flush_seconds) {
  LogWriterOptions options;
  options.format = parse_log_format(format);
  options.rotate_bytes = rotation_of(rotate_mb);
  if (!(flush_seconds >= 0))
    throw ContractError("flush_seconds=" + py::repr(py::float_(flush_seconds)).cast<std::string>() +
                        ": seconds from 0 on are needed");
  options.compress = compress;
  options.append = append;
  options.flush_seconds = flush_seconds;
  return std::make_shared<LogWriter>(to_path(path), options);
}

// Vectors: a row per arm, or one x that the arms of `blocks` share.
void set_numbers(Event& event, const py::object& contexts, const py::object& blocks) {
  const Numbers numbers = to_numbers(contexts, "contexts");
  event.offer.numbers.assign(view(numbers).begin(), view(numbers).end());
  if (numbers.ndim() == 1) {
    if (blocks.is_none()) throw ContractError("contexts: one x is shared by arms: say which with arms=");
    event.offer.blocks = to_arms(blocks);
    event.offer.length = event.offer.numbers.size();
    event.set_arms(event.offer.blocks.size());
  } else if (numbers.ndim() == 2) {
    event.offer.length = static_cast<std::size_t>(numbers.shape(1));
    event.set_arms(static_cast<std::size_t>(numbers.shape(0)));
  } else {
    throw ContractError("contexts of shape " + shape_text(numbers) + ": a row per arm, or one x, is needed");
  }
}

void write_decision(LogWriter& log, const std::string& event_id, std::size_t arm,
                    const py::object& probabilities, const py::object& contexts, const py::object& arms,
                    const py::object& context, const py::object& actions, const OptionalNumber& time,
                    const std::string& model, const OptionalNumber& reward, bool estimated, double kept) {
  Event event;
  event.id = event_id;
  event.time = now_or(time);
  event.model = model;
  if (!contexts.is_none()) set_numbers(event, contexts, arms);
  if (!actions.is_none()) {
    const py::list rows = rows_of(actions);
    event.offer.objects = to_objects(context, rows);
    event.set_arms(event.offer.objects.rows() - 1);
    for (const py::handle id : action_ids(rows))
      if (!id.is_none()) event.actions.push_back(py::str(id));
    if (event.actions.size() != event.arms()) event.actions.clear();
  }
  event.arm = arm;
  const Numbers p = to_numbers(probabilities, "probabilities");
  event.probabilities.assign(view(p).begin(), view(p).end());
  event.estimated = estimated;
  event.reward = reward;
  event.kept = kept;
  const py::gil_scoped_release no_gil;
  log.write(event);
}

void bind_writer(py::module_& module) {
  using namespace py::literals;
  py::class_<LogWriter, std::shared_ptr<LogWriter>>(module, "LogWriter", R"(Appends decisions and rewards to a log, safely, while they happen.

LogWriter(path, *, format="neuralts", rotate_mb=0, compress=True, append=True, flush_seconds=1)

A file that has reached ``rotate_mb`` gets a number and is packed; 0: never. Killed at any moment, the log reads up to its last whole record.

>>> import neuralts
>>> with neuralts.LogWriter("shop.jsonl", append=False) as log:
...     log.decision("e1", 1, [0.3, 0.7], context={"hour": 3}, actions=["a", "b"])
...     log.reward("e1", 1.0)
>>> [(r.event_id, r.actions[r.position], r.reward) for r in neuralts.read_log("shop.jsonl")]
[('e1', 'b', 1.0)]
)")
      .def(py::init(&open_writer), "path"_a, py::kw_only(), "format"_a = "neuralts", "rotate_mb"_a = 0.0, "compress"_a = true, "append"_a = true,
           "flush_seconds"_a = 1.0)
      .def("decision", &write_decision, "event_id"_a, "arm"_a, "probabilities"_a, py::kw_only(), "contexts"_a = py::none(), "arms"_a = py::none(),
           "context"_a = py::none(), "actions"_a = py::none(), "time"_a = py::none(), "model"_a = "", "reward"_a = py::none(), "estimated"_a = false,
           "kept"_a = 1.0, "A decision: which of the contexts (numbers) or actions (objects) was chosen, and every one's probability.")
      .def("reward", [](LogWriter& log, const std::string& id, double reward, const OptionalNumber& time) { log.reward(id, reward, now_or(time)); },
           "event_id"_a, "reward"_a, py::kw_only(), "time"_a = py::none(), "A reward that came later.")
      .def("flush", &LogWriter::flush, "durable"_a = false, py::call_guard<py::gil_scoped_release>(), "What was written is in the file when this returns.")
      .def("close", &LogWriter::close, py::call_guard<py::gil_scoped_release>())
      .def("__enter__", [](const std::shared_ptr<LogWriter>& log) { return log; })
      .def("__exit__", [](LogWriter& log, const py::args&) { log.close(); })
      .def_property_readonly("path", &LogWriter::path)
      .def_property_readonly("written", &LogWriter::written, "Records.");
}

py::object contexts_of(const Event& event) {
  const Offer& offer = event.offer;
  if (!offer.has_numbers()) return py::none();
  if (!offer.blocks.empty()) return copied(offer.numbers);
  return copied(offer.numbers).attr("reshape")(event.arms(), offer.length);
}

std::vector<std::uint32_t> arms_of(const Event& event) {
  if (!event.offer.blocks.empty()) return event.offer.blocks;
  std::vector<std::uint32_t> arms(event.arms());
  for (std::size_t k = 0; k < arms.size(); ++k) arms[k] = static_cast<std::uint32_t>(k);
  return arms;
}

py::object features_of(const Event& event) {
  if (!event.offer.has_objects()) return py::none();
  py::list all;
  for (std::size_t k = 1; k < event.offer.objects.rows(); ++k) all.append(to_dict(event.offer.objects.row(k)));
  return all;
}

void bind_round(py::module_& module) {
  py::class_<Event>(module, "LoggedRound", "One decision of a log. ``contexts``: a row per arm offered, or the one x that they share; ``arms``: their numbers.")
      .def_readonly("event_id", &Event::id)
      .def_readonly("time", &Event::time, "Seconds since 1970; 0: unknown.")
      .def_readonly("model", &Event::model)
      .def_readonly("actions", &Event::actions, "Ids of what was offered, where they have any.")
      .def_property_readonly("contexts", &contexts_of, "Numbers, or None.")
      .def_property_readonly("arms", &arms_of)
      .def_property_readonly("context", [](const Event& e) { return e.offer.has_objects() ? py::object(to_dict(e.offer.objects.row(0))) : py::none(); },
                             "The context's fields, or None.")
      .def_property_readonly("features", &features_of, "Every action's fields, or None.")
      .def_readonly("position", &Event::arm, "Of the arm played, among those offered.")
      .def_property_readonly("arm", [](const Event& e) { return arms_of(e)[e.arm]; }, "The number of the arm played.")
      .def_property_readonly("probabilities", [](const Event& e) { return copied(e.probabilities); }, "Of every arm; of the one played alone where no more is known.")
      .def_property_readonly("probability", &Event::probability, "With which the arm was played.")
      .def_readonly("estimated", &Event::estimated)
      .def_readonly("reward", &Event::reward, "None: none has come.")
      .def_readonly("reward_time", &Event::reward_time)
      .def_readonly("kept", &Event::kept, "The share of such events that the log kept.");
}

py::dict counts_of(const LogReader& reader) {
  using namespace py::literals;
  const LogCounts& c = reader.counts();
  return py::dict("events"_a = c.events, "rewarded"_a = c.rewarded,
                  "duplicate_rewards"_a = c.duplicate_rewards, "unmatched_rewards"_a = c.unmatched_rewards,
                  "refused"_a = c.refused, "other"_a = c.other, "cut_bytes"_a = c.cut_bytes,
                  "first_problem"_a = c.first_problem, "cut"_a = c.cut);
}

void bind_reader(py::module_& module) {
  using namespace py::literals;
  py::class_<LogReader>(module, "LogReader", "The decisions of a log, one after the other, rewards joined.")
      .def(py::init([](const py::object& path, bool skip_bad, bool only_rewarded) {
             return LogReader(to_path(path), {.skip_bad = skip_bad, .only_rewarded = only_rewarded});
           }),
           "path"_a, py::kw_only(), "skip_bad"_a = false, "only_rewarded"_a = false)
      .def("__iter__", [](const py::object& self) { return self; })
      .def("__next__", [](LogReader& reader) {
        Event event;
        bool found = false;
        {
          const py::gil_scoped_release no_gil;
          found = reader.next(event);
        }
        if (!found) throw py::stop_iteration();
        return event;
      })
      .def_property_readonly("header", [](const LogReader& r) { return r.head().json; })
      .def_property_readonly("length", [](const LogReader& r) { return r.head().length; })
      .def_property_readonly("blocks", [](const LogReader& r) { return r.head().blocks; })
      .def_property_readonly("format", [](const LogReader& r) { return std::string(to_string(r.format())); })
      .def_property_readonly("counts", &counts_of, "What was read and what was left out; complete at the end.");
  module.def("write_log", [](const py::object& from, const py::object& path, const std::string& format, bool skip_bad) {
    const LogFormat wanted = parse_log_format(format);
    const std::string source = to_path(from), target = to_path(path);
    const py::gil_scoped_release no_gil;
    LogReader reader(source, {.skip_bad = skip_bad, .only_rewarded = false});
    return write_log(reader, target, wanted);
  }, "source"_a, "path"_a, "format"_a, py::kw_only(), "skip_bad"_a = false, "Copies a log into another format, rewards joined.");
}

}  // namespace

void bind_log_files(py::module_& module) {
  bind_writer(module);
  bind_round(module);
  bind_reader(module);
}

}  // namespace neuralts::python
