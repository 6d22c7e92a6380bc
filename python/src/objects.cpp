#include "objects.hpp"

#include <cmath>
#include <string>

#include "neuralts/error.hpp"

namespace neuralts::python {

namespace {

constexpr int deepest = 32;

bool is_mapping(const py::handle& given) { return py::isinstance<py::dict>(given) || py::hasattr(given, "items"); }

std::string type_name(const py::handle& given) { return py::str(py::type::handle_of(given).attr("__name__")); }

class Flattener {
 public:
  explicit Flattener(FieldTable& table) : table_(table) {}

  void object(const py::handle& given, int depth = 0) {
    if (depth > deepest)
      throw ContractError("the field '" + path_ + "' is nested more than " + std::to_string(deepest) +
                          " deep");
    const std::size_t before = path_.size();
    for (const py::handle item : given.attr("items")()) {
      const auto pair = py::reinterpret_borrow<py::sequence>(item);
      const py::object key = pair[0], value = pair[1];
      if (!py::isinstance<py::str>(key))
        throw py::type_error("the names of fields are texts, not " + type_name(key) + " (in '" + path_ +
                             "')");
      if (before > 0) path_ += '.';
      path_ += text(key);
      field(value, depth);
      path_.resize(before);
    }
  }

  // Under the name that path() says.
  void field(const py::handle& value, int depth) {
    if (value.is_none()) return table_.add(Field::missing_of(path_));
    if (py::isinstance<py::bool_>(value)) return table_.add(Field::truth_of(path_, value.cast<bool>()));
    if (py::isinstance<py::str>(value)) return table_.add(Field::of(path_, text(value)));
    if (py::isinstance<py::float_>(value) || py::isinstance<py::int_>(value)) return number(value);
    if (is_mapping(value)) return object(value, depth + 1);
    if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value) || py::isinstance<py::set>(value))
      return list(value, depth + 1);
    // Numpy's scalars and arrays.
    if (py::hasattr(value, "tolist")) return field(value.attr("tolist")(), depth + 1);
    const std::string type = type_name(value);
    if (type == "NAType" || type == "NaTType") return table_.add(Field::missing_of(path_));  // pandas'
    throw py::type_error("the field '" + path_ + "' holds a " + type +
                         ": a number, text, truth value, None, list or dict is needed");
  }

  void name(std::string path) { path_ = std::move(path); }

 private:
  std::string text(const py::handle& value) const {
    try {
      return value.cast<std::string>();
    } catch (const py::cast_error&) {
      throw py::value_error("the field '" + path_ + "' holds a text that is not Unicode (half of a surrogate pair)");
    }
  }

  // A number that is none is what frames have for a missing one.
  void number(const py::handle& value) {
    const double read = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      throw py::value_error("the field '" + path_ + "' holds a number that is too large");
    }
    table_.add(std::isnan(read) ? Field::missing_of(path_) : Field::of(path_, read));
  }

  void list(const py::handle& values, int depth) {
    if (depth > deepest)
      throw ContractError("the field '" + path_ + "' is nested more than " + std::to_string(deepest) +
                          " deep");
    const std::size_t before = path_.size();
    std::size_t at = 0;
    for (const py::handle value : py::reinterpret_borrow<py::object>(values)) {
      const bool is_number = (py::isinstance<py::float_>(value) || py::isinstance<py::int_>(value)) &&
                             !py::isinstance<py::bool_>(value);
      if (is_number) path_ += "[" + std::to_string(at) + "]";
      field(value, depth);
      path_.resize(before);
      ++at;
    }
  }

  FieldTable& table_;
  std::string path_;
};

// A row of a frame, or a frame of one row, as a dictionary.
py::object plain(const py::object& given) {
  if (py::isinstance<py::dict>(given) || !py::hasattr(given, "to_dict")) return given;
  if (!py::hasattr(given, "columns")) return given.attr("to_dict")();
  const py::list records = given.attr("to_dict")("records");
  if (records.size() != 1)
    throw ContractError("a context is one row, this frame has " + std::to_string(records.size()));
  return records[0];
}

}  // namespace

py::list rows_of(const py::object& actions) {
  if (py::hasattr(actions, "columns") && py::hasattr(actions, "to_dict")) return actions.attr("to_dict")("records");
  if (actions.is_none() || py::isinstance<py::str>(actions) || is_mapping(actions))
    throw py::type_error("actions: a list is needed, not " + type_name(actions));
  return py::list(actions);
}

FieldTable to_objects(const py::object& context, const py::list& rows) {
  FieldTable table;
  Flattener flattener(table);
  table.start_row();
  const py::object shared = plain(context);
  if (!shared.is_none() && !is_mapping(shared))
    throw py::type_error("the context: a dict is needed, not " + type_name(shared));
  if (!shared.is_none()) flattener.object(shared);
  for (const py::handle action : rows) {
    table.start_row();
    const py::object row = plain(py::reinterpret_borrow<py::object>(action));
    flattener.name("");
    if (is_mapping(row)) {
      flattener.object(row);
    } else {
      flattener.name("id");
      flattener.field(row, 0);
    }
  }
  return table;
}

py::list action_ids(const py::list& rows) {
  py::list ids;
  for (const py::handle action : rows) {
    const py::object row = plain(py::reinterpret_borrow<py::object>(action));
    ids.append(is_mapping(row) ? py::object(row.attr("get")("id", py::none())) : row);
  }
  return ids;
}

py::dict to_dict(Fields fields) {
  py::dict all;
  for (const Field& field : fields) {
    const py::str name(field.name.data(), field.name.size());
    const py::object value = field.kind == Field::Kind::number  ? py::object(py::float_(field.number))
                             : field.kind == Field::Kind::truth ? py::object(py::bool_(field.number != 0))
                             : field.kind == Field::Kind::text
                                 ? py::object(py::str(field.text.data(), field.text.size()))
                                 : py::object(py::none());
    if (!all.contains(name)) {
      all[name] = value;
    } else {
      if (!py::isinstance<py::list>(all[name])) {
        py::list first;
        first.append(all[name]);
        all[name] = first;
      }
      all[name].attr("append")(value);
    }
  }
  return all;
}

}  // namespace neuralts::python
