// A run as one line of JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "neuralts/lab.hpp"

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
                         {"regret", result.regret},
                         {"reward", result.reward},
                         {"policy_bytes", result.policy_bytes},
                         {"notes", result.notes},
                         {"select_seconds", result.select_seconds},
                         {"learn_seconds", result.learn_seconds}};
  if (with_curve) json["curve"] = {{"rounds", result.curve_rounds}, {"regret", result.curve_regret}};
  return json;
}

RunSpec read_spec(const nlohmann::json& json) {
  RunSpec spec;
  spec.env = json.at("env");
  spec.policy.name = json.at("policy");
  spec.policy.preset = json.at("preset");
  spec.policy.params = json.at("given").get<Params>();
  spec.seed = json.at("seed");
  spec.policy.seed = spec.seed;
  spec.rounds = json.at("horizon");
  spec.delay = parse_delay(json.at("delay"));
  spec.device = json.value("device", "");
  return spec;
}

RunResult read_result(const nlohmann::json& json, const RunSpec& spec) {
  RunResult result;
  result.spec = spec;
  result.resolved = json.at("params").get<Params>();
  result.rounds = json.at("rounds");
  result.regret = json.at("regret");
  result.reward = json.at("reward");
  result.policy_bytes = json.at("policy_bytes");
  result.notes = json.at("notes").get<std::vector<std::string>>();
  result.select_seconds = json.at("select_seconds");
  result.learn_seconds = json.at("learn_seconds");
  if (const auto curve = json.find("curve"); curve != json.end()) {
    result.curve_rounds = curve->at("rounds").get<std::vector<std::size_t>>();
    result.curve_regret = curve->at("regret").get<std::vector<double>>();
  }
  if (result.curve_rounds.size() != result.curve_regret.size())
    throw Error(ErrorCode::bad_input, "results", "the curve's two lists differ in length");
  return result;
}

}  // namespace

std::string run_key(const RunSpec& spec) {
  const std::string device = spec.device.empty() ? "" : "\n" + spec.device;
  return fmt::format("{:016x}", fnv1a(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}{}", spec.env, spec.policy.name, spec.policy.preset,
                                                  to_string(spec.policy.params), spec.rounds, to_string(spec.delay), spec.seed, device)));
}

std::string to_json(const Record& record, bool with_curve) {
  const RunSpec& spec = record.spec;
  nlohmann::json json = {{"key", run_key(spec)},
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
    record.spec = read_spec(json);
    record.version = json.at("version");
    record.cpu = json.at("machine").at("cpu");
    record.cores = json.at("machine").at("cores");
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
