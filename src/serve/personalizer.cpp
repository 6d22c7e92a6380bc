// Personalizer's dialect (v1.0 and 2022-09-01-preview): its clients work by changing the address.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "serve/iso_duration.hpp"
#include "serve/service_call.hpp"

namespace neuralts::serve {

namespace {

using nlohmann::json;

constexpr const char* modes[] = {"Online", "Apprentice", "LoggingOnly"};

json configuration_json(const LoopConfig& config) {
  return {{"rewardWaitTime", duration_text(config.window_us)},
          {"defaultReward", config.default_reward},
          {"rewardAggregation", name_of(config.aggregation)},
          {"explorationPercentage", config.exploration},
          {"modelExportFrequency", duration_text(std::llround(config.publish_seconds * 1e6))},
          {"logRetentionDays", config.retention_days},
          {"learningMode", modes[static_cast<std::size_t>(config.mode)]},
          {"lastConfigurationEditDate", nullptr},
          {"isAutoOptimizationEnabled", false}};
}

std::int64_t duration_in(const json& value, const std::string& field, double low_seconds, double high_seconds) {
  const auto duration = value.is_string() ? parse_duration(value.get<std::string>()) : std::nullopt;
  if (!duration || static_cast<double>(*duration) < low_seconds * 1e6 ||
      static_cast<double>(*duration) > high_seconds * 1e6)
    throw Problem(
        400, field,
        fmt::format("a duration like PT10M of {} to {} seconds is needed", low_seconds, high_seconds));
  return *duration;
}

double number_in(const json& value, const std::string& field, double low, double high) {
  if (!value.is_number() || !(value.get<double>() >= low && value.get<double>() <= high))
    throw Problem(400, field, fmt::format("a number within {} .. {} is needed", low, high));
  return value;
}

Mode mode_in(const json& value) {
  for (std::size_t i = 0; i < 3; ++i)
    if (value == modes[i]) return static_cast<Mode>(i);
  throw Problem(400, "learningMode", "one of Online, Apprentice, LoggingOnly is needed");
}

Aggregation aggregation_in(const json& value) {
  try {
    return aggregation_of(value.is_string() ? value.get<std::string>() : "", "rewardAggregation");
  } catch (const Problem& problem) {
    throw Problem(400, problem.field(), problem.what());
  }
}

void change(LoopConfig& config, const std::string& key, const json& value) {
  if (key == "rewardWaitTime") config.window_us = duration_in(value, key, 5, 2.0 * 86400);
  if (key == "defaultReward") config.default_reward = number_in(value, key, -1, 1), config.has_default = true;
  if (key == "rewardAggregation") config.aggregation = aggregation_in(value);
  if (key == "explorationPercentage") config.exploration = number_in(value, key, 0, 1);
  if (key == "modelExportFrequency")
    config.publish_seconds = static_cast<double>(duration_in(value, key, 0, 86400)) / 1e6;
  if (key == "logRetentionDays")
    config.retention_days = static_cast<std::int64_t>(number_in(value, key, -1, 36500));
  if (key == "learningMode") config.mode = mode_in(value);
}

}  // namespace

/// Its addresses name no loop: the query's `loop`, and `default` where neither is given.
std::shared_ptr<LoopRuntime> Service::personalizer_loop(const Call& call) {
  const std::string name = call.query_value("loop");
  return find(name.empty() ? "default" : name);
}

void Service::call_personalizer_rank(Call& call) {
  const auto runtime = personalizer_loop(call);
  RankBody& body = call.worker.parser.personalizer_rank(call.request.body, false);
  rank_all(call, runtime, {&body, 1}, false, true);
}

void Service::call_personalizer_slots(Call& call) {
  const auto runtime = personalizer_loop(call);
  rank_slots(call, runtime, call.worker.parser.personalizer_rank(call.request.body, true), true);
}

namespace {

/// Its rewards have no key. Where the first one counts, a second is a duplicate; where all count, each is its own.
std::string reward_key(const Loop& loop, Worker& worker) {
  if (loop.current()->config.aggregation == Aggregation::earliest) return "";
  return fmt::format("{:016x}", worker.seeds.bits64());
}

}  // namespace

void Service::call_personalizer_reward(Call& call) {
  const auto runtime = personalizer_loop(call);
  RewardBody body = call.worker.parser.personalizer_reward(call.request.body, false);
  body.key = reward_key(runtime->loop, call.worker);
  reward_one(call, call.parts[0], std::move(body), runtime->loop.id(), true);
}

void Service::call_personalizer_slots_reward(Call& call) {
  const auto runtime = personalizer_loop(call);
  RewardBody body = call.worker.parser.personalizer_reward(call.request.body, true);
  body.key = reward_key(runtime->loop, call.worker);
  reward_slots(call, call.parts[0], std::move(body), runtime->loop.id());
}

void Service::call_personalizer_activate(Call& call) {
  activate(call, call.parts[0], personalizer_loop(call)->loop.id(), true);
}

void Service::call_personalizer_configuration(Call& call) {
  call.answer(200, configuration_json(personalizer_loop(call)->loop.current()->config).dump());
}

void Service::call_personalizer_configure(Call& call) {
  const json body = body_of(call.request.body);
  const auto turn = begin_change();
  Loop& loop = personalizer_loop(call)->loop;
  LoopConfig config = loop.current()->config;
  for (const auto& [key, value] : body.items()) change(config, key, value);
  reconfigure(loop, config);
  call.answer(200, configuration_json(config).dump());
}

void Service::call_personalizer_status(Call& call) {
  call.answer(200,
              json{{"createdTime", iso_time(started_us_)},
                   {"status", "Succeeded"},
                   {"currentLearningMode",
                    modes[static_cast<std::size_t>(personalizer_loop(call)->loop.current()->config.mode)]}}
                  .dump());
}

}  // namespace neuralts::serve
