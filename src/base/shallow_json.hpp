// JSON from outside. Reading needs no stack however deep it is; copying and printing what was read does.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace neuralts {

inline constexpr int json_depth_max = 64;  ///< objects and lists inside each other

/// Nothing: the text is not JSON, or deeper than `json_depth_max`. A key that stands twice in an object is handed to
/// `refuse`, which throws: either value could be meant.
template <class Refuse>
std::optional<nlohmann::json> parse_shallow(std::string_view text, const Refuse& refuse) {
  struct TooDeep {};
  using Event = nlohmann::json::parse_event_t;
  std::vector<std::set<std::string>> open;  // the keys of the objects around
  const auto watch = [&](int depth, Event event, nlohmann::json& value) -> bool {
    if (depth > json_depth_max) throw TooDeep();
    if (event == Event::object_start) open.emplace_back();
    if (event == Event::object_end) open.pop_back();
    if (event != Event::key) return true;
    const auto& key = value.template get_ref<const std::string&>();
    if (!open.back().insert(key).second) refuse(key);
    return true;
  };
  try {
    auto value = nlohmann::json::parse(text, watch, false);
    if (value.is_discarded()) return std::nullopt;
    return value;
  } catch (const TooDeep&) {
    return std::nullopt;
  }
}

}  // namespace neuralts
