#include "log/json_door.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

namespace {

constexpr int deepest = 32;

class Flattener {
 public:
  Flattener(FieldTable& table, bool underscores, const std::string& where, std::string path = {})
      : table_(table), underscores_(underscores), where_(where), path_(std::move(path)) {}

  void object(json::object object, int depth) {
    check_depth(depth);
    const std::size_t before = path_.size();
    for (const auto& [key, given] : object) {
      if (!underscores_ && key.starts_with('_')) continue;
      if (before > 0) path_ += '.';
      path_ += key;
      value(given, depth);
      path_.resize(before);
    }
  }

  void value(json::element value, int depth) {
    switch (value.type()) {
      case json::element_type::OBJECT: return object(value, depth + 1);
      case json::element_type::ARRAY: return list(value, depth + 1);
      case json::element_type::STRING: return table_.add(Field::of(path_, std::string_view(value)));
      case json::element_type::BOOL: return table_.add(Field::truth_of(path_, value));
      case json::element_type::NULL_VALUE: return table_.add(Field::missing_of(path_));
      default: return table_.add(Field::of(path_, value.get_double().value()));
    }
  }

 private:
  // Numbers carry their place, objects and texts do not.
  void list(json::array array, int depth) {
    check_depth(depth);
    const std::size_t before = path_.size();
    std::size_t at = 0;
    for (const json::element given : array) {
      if (given.is_number()) path_ += "[" + std::to_string(at) + "]";
      value(given, depth);
      path_.resize(before);
      ++at;
    }
  }

  void check_depth(int depth) const {
    if (depth > deepest)
      throw Error(ErrorCode::bad_input, where_,
                  "the features are nested more than " + std::to_string(deepest) + " deep");
  }

  FieldTable& table_;
  bool underscores_;
  const std::string& where_;
  std::string path_;
};

}  // namespace

void add_fields(json::object object, FieldTable& table, bool underscores, const std::string& where) {
  Flattener(table, underscores, where).object(object, 0);
}

void add_named_value(const std::string& name, json::element value, FieldTable& table, bool underscores,
                     const std::string& where) {
  Flattener(table, underscores, where, name).value(value, 0);
}

void add_json_row(std::string_view text, FieldTable& table, const std::string& where) {
  thread_local json::parser parser;
  table.start_row();
  try {
    add_fields(parser.parse(text.data(), text.size()).get_object(), table, true, where);
  } catch (const simdjson::simdjson_error& problem) {
    throw Error(ErrorCode::bad_input, where, std::string("this is not a JSON object (") + problem.what() + ")");
  }
}

FieldTable parse_objects(std::string_view text, const std::string& where) {
  thread_local json::parser parser;
  FieldTable table, actions;
  table.start_row();
  try {
    for (const auto& [key, value] : parser.parse(text.data(), text.size()).get_object()) {
      if (key == "context") {
        add_fields(value, table, true, where);
      } else if (key == "actions") {
        for (const json::element action : value.get_array()) {
          actions.start_row();
          if (action.is_object())
            add_fields(action, actions, true, where);
          else
            add_named_value("id", action, actions, true, where);
        }
      } else {
        throw Error(ErrorCode::bad_input, where, "unknown key '" + std::string(key) + "'",
                    "expected context and actions");
      }
    }
  } catch (const simdjson::simdjson_error& problem) {
    throw Error(ErrorCode::bad_input, where,
                std::string("expected {\"context\": {...}, \"actions\": [...]} (") + problem.what() + ")");
  }
  table.append(actions);
  return table;
}

}  // namespace neuralts
