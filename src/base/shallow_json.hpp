// JSON from outside. Reading needs no stack however deep it is; copying and printing what was read does.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace neuralts {

inline constexpr int json_depth_max = 64;  ///< objects and lists inside each other

/// Nothing: the text is not JSON, or deeper than `json_depth_max`.
inline std::optional<nlohmann::json> parse_shallow(std::string_view text) {
  struct TooDeep {};
  const auto watch = [](int depth, nlohmann::json::parse_event_t, nlohmann::json&) -> bool {
    if (depth > json_depth_max) throw TooDeep();
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
