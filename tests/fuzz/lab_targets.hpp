// What is read back from files of our own, as functions of bytes: read, or refused with an Error; anything else
// is a bug.
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/sealed_bytes.hpp"
#include "neuralts/agent.hpp"
#include "neuralts/lab.hpp"

namespace neuralts::fuzz {

/// A policy that was read decides, or says why it cannot: its probabilities are some.
inline void decide(Agent& agent) {
  const Shape shape = agent.policy().spec().shape;
  if (shape.length * shape.blocks > 4096) return;
  const std::size_t arms = shape.blocks > 1 ? shape.blocks : 2;
  const std::vector<double> values(shape.blocks > 1 ? shape.length : arms * shape.length, 0.5);
  try {
    const Decision& decision = agent.select(shape.blocks > 1 ? Contexts::disjoint(values, arms)
                                                             : Contexts::per_arm(values, arms));
    double sum = 0;
    for (const double probability : decision.probabilities) sum += probability;
    if (decision.arm >= arms || !(std::abs(sum - 1) < 1e-3)) throw std::logic_error("a decision is not sound");
  } catch (const ContractError&) {
  }
}

/// It is the same when it is saved and read again, and decides.
inline bool policy(std::string_view body) {
  try {
    const std::string file = policy_with_body(body);
    Agent agent = Agent::from_bytes(file, "input");
    const auto saved = agent.to_bytes();
    if (Agent::from_bytes(saved, "saved").to_bytes() != saved)
      throw std::logic_error("a policy changed by saving it");
    decide(agent);
    return true;
  } catch (const Error&) {
    return false;
  }
}

inline bool result(std::string_view line) {
  try {
    const Record record = record_from_json(line);
    const std::string written = to_json(record);
    if (to_json(record_from_json(written)) != written) throw std::logic_error("a record changed by writing it");
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input && error.code() != ErrorCode::bad_spec) throw;
    return false;
  }
}

template <const char* ending>
bool experiment(std::string_view text) {
  try {
    const Experiment experiment = parse_experiment(text, std::string("input") + ending);
    return !experiment.grids.empty();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input && error.code() != ErrorCode::bad_spec) throw;
    return false;
  }
}
inline constexpr char toml_ending[] = ".toml", json_ending[] = ".json";
inline bool toml(std::string_view text) { return experiment<toml_ending>(text); }
inline bool json(std::string_view text) { return experiment<json_ending>(text); }

}  // namespace neuralts::fuzz
