// One JSON object per line for whoever runs the service. No feature value and no token ever gets here.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "serve/clock.hpp"

namespace neuralts::serve {

/// Any thread. `sink` gets whole lines; an empty one keeps silent.
class Log {
 public:
  using Sink = std::function<void(const std::string& line)>;
  Log(const Clock& clock, Sink sink) : clock_(clock), sink_(std::move(sink)) {}
  void info(const char* event, const nlohmann::json& fields) const { write("info", event, fields); }
  void error(const char* event, const nlohmann::json& fields) const { write("error", event, fields); }

 private:
  void write(const char* level, const char* event, const nlohmann::json& fields) const;
  const Clock& clock_;
  Sink sink_;
};

}  // namespace neuralts::serve
