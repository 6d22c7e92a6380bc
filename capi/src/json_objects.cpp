#include "json_objects.hpp"

#include "guard.hpp"
#include "log/json_door.hpp"

namespace neuralts::capi {

namespace {

void add_list(const std::string& text, FieldTable& out) {
  json::parser parser;
  try {
    std::size_t at = 0;
    for (const json::element action : parser.parse(text).get_array()) {
      out.start_row();
      add_fields(action.get_object(), out, true, "actions[" + std::to_string(at++) + "]");
    }
  } catch (const simdjson::simdjson_error& problem) {
    throw Error(ErrorCode::bad_input, "actions",
                std::string("this is not a JSON list of objects (") + problem.what() + ")");
  }
}

}  // namespace

void read_objects(const char* context, const char* actions, FieldTable& out) {
  out.clear();
  add_json_row(text(context, "context"), out, "context");
  add_list(text(actions, "actions"), out);
}

}  // namespace neuralts::capi
