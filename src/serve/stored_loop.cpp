#include "serve/stored_loop.hpp"

#include <nlohmann/json.hpp>

#include "base/whole_number.hpp"
#include "neuralts/error.hpp"

namespace neuralts::serve {

namespace {

[[noreturn]] void throw_damaged() {
  throw Error(ErrorCode::corrupt, "journal", "a loop's configuration is damaged",
              "restore the folder from a backup");
}

std::uint32_t id_in(const nlohmann::json& value) {
  const auto id = parse_whole<std::uint32_t>(value.dump());
  if (!id) throw_damaged();
  return *id;
}

}  // namespace

StoredLoop stored_loop_from_json(std::string_view text) try {
  const auto stored = nlohmann::json::parse(text);
  StoredLoop loop{
      id_in(stored.at("id")), stored.at("name"), stored.at("deleted"), stored.value("pinned", false), {}};
  if (loop.deleted) return loop;
  for (const auto& revision : stored.at("revisions"))
    loop.revisions.push_back(loop_config_from_json(revision.dump()));
  if (loop.revisions.empty()) throw_damaged();
  return loop;
} catch (const std::exception&) {
  throw_damaged();
}

const LoopConfig& StoredLoop::config(std::uint32_t revision) const {
  if (revision >= revisions.size())
    throw Error(ErrorCode::corrupt, "loop " + name,
                "an event names revision " + std::to_string(revision) + ", which is not there",
                "restore the folder from a backup");
  return revisions[revision];
}

}  // namespace neuralts::serve
