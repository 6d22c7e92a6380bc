// A run as one line of JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "neuralts/lab.hpp"
#include "neuralts/version.hpp"

namespace neuralts {

namespace {

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

nlohmann::json result_json(const RunResult& result, bool with_curve) {
  nlohmann::json json = {{"params", result.resolved},
                         {"rounds", result.rounds},
                         {"offered", result.offered},
                         {"regret_known", result.regret_known},
                         {"regret", result.regret},
                         {"reward", result.reward},
                         {"policy_bytes", result.policy_bytes},
                         {"notes", result.notes},
                         {"select_seconds", result.select_seconds},
                         {"learn_seconds", result.learn_seconds}};
  if (with_curve)
    json["curve"] = {
        {"rounds", result.curve_rounds}, {"regret", result.curve_regret}, {"reward", result.curve_reward}};
  return json;
}

// A number beyond 2^64 is read as a floating one, which has no whole number to give.
std::uint64_t whole(const nlohmann::json& value) {
  if (!value.is_number_unsigned())
    throw Error(ErrorCode::bad_input, "results", "a whole number is needed, found " + value.dump());
  return value;
}

RunSpec read_spec(const nlohmann::json& json) {
  RunSpec spec;
  spec.env = json.at("env");
  spec.policy.name = json.at("policy");
  spec.policy.preset = json.at("preset");
  spec.policy.params = json.at("given").get<Params>();
  spec.seed = whole(json.at("seed"));
  spec.policy.seed = spec.seed;
  spec.rounds = whole(json.at("horizon"));
  spec.delay = parse_delay(json.at("delay"));
  spec.device = json.value("device", "");
  return spec;
}

// What run() promises of it, and reports rely on.
void check_curve(const RunResult& result) {
  const auto refuse = [](const char* what) {
    throw Error(ErrorCode::bad_input, "results", what, "the line is not a whole record");
  };
  if (result.curve_rounds.size() != result.curve_regret.size()) refuse("the curve's two lists differ in length");
  if (result.curve_rounds.size() != result.curve_reward.size()) refuse("the curve's lists differ in length");
  if (result.curve_rounds.empty()) refuse("the curve is empty");
  if (!std::is_sorted(result.curve_rounds.begin(), result.curve_rounds.end()))
    refuse("the curve's rounds are not in order");
  if (result.curve_rounds.back() != result.rounds) refuse("the curve does not end with the last round");
}

/// What the policy would be made with: its defaults, its preset, and what was given.
Params values_in_force(const PolicySpec& spec) try {
  const PolicyInfo& info = policy_info(spec.name);
  Params values = spec.params;
  const auto preset = info.presets.find(spec.preset.empty() ? info.default_preset : spec.preset);
  if (preset != info.presets.end()) values.insert(preset->second.begin(), preset->second.end());
  for (const auto& param : info.params) values.try_emplace(param.key, param.default_value);
  return values;
} catch (const Error&) {  // a policy of the user's own
  return spec.params;
}

RunResult read_result(const nlohmann::json& json, const RunSpec& spec) {
  RunResult result;
  result.spec = spec;
  result.resolved = json.at("params").get<Params>();
  result.rounds = whole(json.at("rounds"));
  // Absent in files of version 0.1.
  result.offered = json.contains("offered") ? whole(json.at("offered")) : result.rounds;
  result.regret_known = json.value("regret_known", true);
  result.regret = json.at("regret");
  result.reward = json.at("reward");
  result.policy_bytes = whole(json.at("policy_bytes"));
  result.notes = json.at("notes").get<std::vector<std::string>>();
  result.select_seconds = json.at("select_seconds");
  result.learn_seconds = json.at("learn_seconds");
  for (const auto& round : json.at("curve").at("rounds")) result.curve_rounds.push_back(whole(round));
  result.curve_regret = json.at("curve").at("regret").get<std::vector<double>>();
  result.curve_reward = json.at("curve").value("reward", std::vector<double>(result.curve_regret.size(), 0.0));
  check_curve(result);
  return result;
}

}  // namespace

std::string run_key(const RunSpec& spec, const std::string& identity) {
  const std::string device = spec.device.empty() ? "" : "\n" + spec.device;
  return fmt::format(
      "{:016x}",
      fnv1a(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}{}", spec.env, spec.policy.name,
                        spec.policy.preset, to_string(spec.policy.params), spec.rounds, to_string(spec.delay),
                        spec.seed, to_string(values_in_force(spec.policy)), version(), identity, device)));
}

std::string to_json(const Record& record, bool with_curve) {
  const RunSpec& spec = record.spec;
  nlohmann::json json = {{"key", record.key.empty() ? run_key(spec) : record.key},
                         {"status", record.ok() ? "ok" : "failed"},
                         {"env", spec.env},
                         {"policy", spec.policy.name},
                         {"preset", spec.policy.preset},
                         {"given", spec.policy.params},
                         {"seed", spec.seed},
                         {"horizon", spec.rounds},
                         {"delay", to_string(spec.delay)},
                         {"version", record.version},
                         {"machine", {{"cpu", record.cpu}, {"cores", record.cores}}}};
  if (!spec.device.empty()) json["device"] = spec.device;
  if (!record.gpu.empty()) json["machine"]["gpu"] = record.gpu;
  if (record.ok())
    json.update(result_json(record.result, with_curve));
  else
    json["error"] = record.error;
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Record record_from_json(std::string_view line) {
  try {
    const auto json = nlohmann::json::parse(line);
    Record record;
    record.key = json.at("key");
    record.spec = read_spec(json);
    record.version = json.at("version");
    record.cpu = json.at("machine").at("cpu");
    record.cores = static_cast<decltype(record.cores)>(whole(json.at("machine").at("cores")));
    record.gpu = json.at("machine").value("gpu", "");
    if (json.at("status") == "ok")
      record.result = read_result(json, record.spec);
    else
      record.error = json.at("error");
    return record;
  } catch (const nlohmann::json::exception& problem) {
    throw Error(ErrorCode::bad_input, "results", "a line is not a record", problem.what());
  }
}

}  // namespace neuralts
