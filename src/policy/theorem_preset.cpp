#include "policy/theorem_preset.hpp"

#include <cmath>

#include "base/text.hpp"
#include "policy/theorem.hpp"

namespace neuralts {

namespace {

const std::string word = "theorem";

bool asks(const ParamInfo& info) {
  return info.key == "lambda" || info.key == "nu" || info.key == "step" || info.key == "iterations";
}

// |g|^2 / m tends to L for unit contexts, so the Gram matrix of T played ones has the trace TL: by the means of its eigenvalues
// log det(I + G / lambda) is at most T log(1 + L / lambda), whatever the contexts.
double largest_log_det(const Horizon& at, double lambda) {
  return at.rounds * std::log1p(at.depth / lambda);
}

Horizon horizon_of(const Settings& settings) {
  return {.rounds = static_cast<double>(settings.count("rounds")),
          .arms = 1,
          .depth = static_cast<double>(settings.count("depth")),
          .noise = settings.number("noise"),
          .delta = settings.number("delta")};
}

}  // namespace

std::string theorem_note(const Settings& numbers) {
  std::string values;
  for (const char* key : {"lambda", "nu", "step", "iterations"})
    values += (values.empty() ? "" : ", ") + std::string(key) + " = " + numbers.text(key);
  return "preset theorem is a demonstration (" + values +
         "): with these settings the regret is proved, for numbers of units far beyond what fits in a machine; every round runs many steps from the start, and nu "
         "explores far more than practice needs. Use it for a few hundred rounds, and for no more than `rounds`: beyond them the step is too long.";
}

std::vector<ParamInfo> with_theorem(std::vector<ParamInfo> table) {
  for (auto& info : table)
    if (asks(info)) info.range += " | " + word;
  table.push_back({"rounds", "100", "1 .. 10000",
                   "T, where a value is `theorem`: the number of rounds the regret theorem is asked about"});
  table.push_back({"noise", "0.1", ">= 0", "R, where a value is `theorem`: sub-Gaussian noise of the rewards"});
  table.push_back({"delta", "0.1", "> 0 and < 1",
                   "where a value is `theorem`: the probability with which its bound may fail"});
  table.push_back(
      {"norm", "1", "> 0",
       "B, where a value is `theorem`: norm of the reward function; `neuralts theory` tells it for a world"});
  table.push_back({"log-det", "auto", "auto | >= 0",
                   "log det(I + H / lambda), where a value is `theorem`; auto: the largest that T unit contexts can have"});
  return table;
}

Params theorem_preset() {
  return {{"precision", "float64"}, {"lambda", word},       {"nu", word},        {"step", word},
          {"iterations", word},     {"posterior", "exact"}, {"start", "initial"}};
}

Settings resolve_theorem(const std::string& where, const std::vector<ParamInfo>& table, const Settings& settings) {
  Params values = settings.values();
  const auto set = [&](const char* key, double value) {
    if (values.at(key) == word) values[key] = format_number(value);
  };
  const Horizon at = horizon_of(settings);
  set("lambda", theorem_lambda(at.rounds));
  const Settings numbered(where, table, values);
  const double lambda = numbered.number("lambda"), units = static_cast<double>(settings.count("units"));
  const double log_det = settings.is("log-det", "auto") ? largest_log_det(at, lambda) : settings.number("log-det");
  set("nu", theorem_nu(at, settings.number("norm"), log_det));
  set("step", theorem_step(at, lambda, units));
  set("iterations", theorem_iterations(at, lambda));
  return {where, table, std::move(values)};
}

}  // namespace neuralts
