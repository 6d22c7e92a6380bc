#include "serve/stored_loop.hpp"

#include <nlohmann/json.hpp>

#include "neuralts/error.hpp"

namespace neuralts::serve {

StoredLoop stored_loop_from_json(std::string_view text) try {
  const auto stored = nlohmann::json::parse(text);
  StoredLoop loop{stored.at("id"), stored.at("name"), stored.at("deleted"), stored.value("pinned", false), {}};
  if (loop.deleted) return loop;
  for (const auto& revision : stored.at("revisions"))
    loop.revisions.push_back(loop_config_from_json(revision.dump()));
  return loop;
} catch (const std::exception&) {
  throw Error(ErrorCode::corrupt, "journal", "a loop's configuration is damaged", "restore the folder from a backup");
}

}  // namespace neuralts::serve
