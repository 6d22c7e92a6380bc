#include "serve/log.hpp"

#include <nlohmann/json.hpp>

namespace neuralts::serve {

void Log::write(const char* level, const char* event, const nlohmann::json& fields) const {
  if (!sink_) return;
  nlohmann::ordered_json line = {{"time", iso_time(clock_.now_us())}, {"level", level}, {"event", event}};
  for (const auto& [key, value] : fields.items()) line[key] = value;
  sink_(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace neuralts::serve
