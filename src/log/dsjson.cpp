#include "base/text.hpp"
#include "log/features.hpp"
#include "log/json.hpp"

namespace neuralts {

namespace {

// Objects are paths, numbers values, texts and truths indicators: {"User": {"age": 5, "city": "Rome"}} -> User.age = 5, User.city=Rome = 1.
class Flattener {
 public:
  Flattener(const JsonLine& line, LogFeatures& features) : line_(line), features_(features) {}

  void flatten(const nlohmann::json& value, const std::string& path, Log::Row& row, int depth = 0) {
    constexpr int deepest = 32;
    if (depth > deepest) line_.fail("the features are nested more than " + std::to_string(deepest) + " deep");
    if (value.is_object())
      for (const auto& [key, item] : value.items()) {
        if (!key.starts_with('_')) flatten(item, path.empty() ? key : path + "." + key, row, depth + 1);
      }
    else if (value.is_array())
      for (std::size_t i = 0; i < value.size(); ++i)
        flatten(value[i], value[i].is_number() ? path + "[" + std::to_string(i) + "]" : path, row, depth + 1);
    else if (value.is_number())
      features_.add(row, path, value.get<double>());
    else if (value.is_string())
      features_.add(row, path + "=" + value.get<std::string>(), 1);
    else if (value.is_boolean() && value.get<bool>())
      features_.add(row, path, 1);
  }

 private:
  const JsonLine& line_;
  LogFeatures& features_;
};

void read_decision(const JsonLine& line, LogFeatures& features, Log& log) {
  const auto& context = line.at("c");
  const auto multi = context.find("_multi");
  if (multi == context.end() || !multi->is_array() || multi->empty())
    line.fail("\"c\" has no list \"_multi\" of actions", "only decisions between actions with features are read");
  Flattener flattener(line, features);
  Log::Row shared;
  flattener.flatten(context, "", shared);
  std::vector<Log::Row> actions;
  for (const auto& action : *multi) flattener.flatten(action, "", actions.emplace_back());

  LoggedEvent event;
  event.arm = static_cast<std::uint32_t>(line.index("_labelIndex", actions.size()));
  event.reward = -line.number("_label_cost");
  event.probability = line.number("_label_probability");
  features.finish_event(log, event, shared, std::move(actions));
}

}  // namespace

Log read_dsjson(LineReader& lines, std::string_view first_line) {
  LogFeatures features(lines);
  Log log;
  std::string_view text = first_line;
  do {
    if (trim(text).empty()) continue;
    const JsonLine line(text, lines);
    if (line.has("_label_cost")) read_decision(line, features, log);
  } while (lines.next(text));
  features.finish(log);
  return log;
}

}  // namespace neuralts
