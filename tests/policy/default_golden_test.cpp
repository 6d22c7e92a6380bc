// The default's decisions as they were recorded: a change of what it does shows here first.
//
// The arms that were played are played again, whatever the policy would have chosen, so that a rounding error
// stays one: probabilities, means and widths are compared, on every instruction set of this processor, and in
// float64: in float32, of which the default's networks are, the vector lengths' roundings differ enough for
// another forecaster to be believed in a round. After a change that is meant, record anew and look at the
// difference:
//   NEURALTS_RECORD=1 build/release/tests/test_policy --gtest_filter=DefaultGolden.*
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "math/every_target.hpp"
#include "policy/small_world.hpp"

namespace neuralts {
namespace {

using nlohmann::json;

constexpr std::size_t rounds = 80;
// A record of this program's, not an oracle's file: it stays here wherever the golden ones are.
const std::string record_file = std::string(NEURALTS_GOLDEN_DEFAULT) + "/../policy/default_run.json";

struct GoldenCase {
  std::string name, policy;
  SmallWorld world;
};

const std::vector<GoldenCase>& cases() {
  static const std::vector<GoldenCase> all = {{"neural-ts, arms of their own", "neural-ts", disjoint_world},
                                              {"neural-ts, contexts that share weights", "neural-ts", per_arm_world},
                                              {"neural-ucb, arms of their own", "neural-ucb", disjoint_world}};
  return all;
}

// A run as {"arm": [...], "mean": [[...]], "width": [[...]], "probability": [[...]]}; `arms`: what is played,
// null: what is chosen.
json play(const GoldenCase& c, const json* arms) {
  const auto policy = make_policy(
      {.name = c.policy, .params = {{"precision", "float64"}}, .shape = c.world.shape, .seed = 7});
  Stream explore(7, Purpose::exploration);
  Scratch scratch;
  Decision decision;
  json out = {{"arm", json::array()},
              {"mean", json::array()},
              {"width", json::array()},
              {"probability", json::array()}};
  for (std::size_t round = 0; round < rounds; ++round) {
    std::vector<double> numbers;
    const Contexts contexts = c.world.contexts(round, numbers);
    policy->select(contexts, explore, scratch, decision);
    const std::size_t arm = arms != nullptr ? (*arms)[round].get<std::size_t>() : decision.arm;
    const Finished finished{contexts[arm], c.world.reward(contexts[arm])};
    policy->played(finished.context);
    policy->learn(std::span(&finished, 1));
    out["arm"].push_back(arm);
    out["mean"].push_back(decision.mean);
    out["width"].push_back(decision.width);
    out["probability"].push_back(decision.probabilities);
  }
  return out;
}

void record() {
  json all;
  for (const GoldenCase& c : cases()) all[c.name] = play(c, nullptr);
  std::ofstream(record_file) << all.dump(1) << "\n";
}

double largest_difference(const json& a, const json& b) {
  double largest = 0;
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t k = 0; k < a[round].size(); ++k)
      largest = std::max(largest, std::abs(a[round][k].get<double>() - b[round][k].get<double>()));
  return largest;
}

// Sums differ by 1e-16 from one vector length to another, and 160 steps of Adam do not carry that to 1e-6. A
// change of any constant of the belief moves widths by more than a thousandth.
TEST(DefaultGolden, DecidesAsRecordedOnEveryInstructionSet) {
  if (std::getenv("NEURALTS_RECORD") != nullptr) record();
  std::ifstream file(record_file);
  ASSERT_TRUE(file) << record_file;
  const json recorded = json::parse(file);
  math::with_every_target([&] {
    for (const GoldenCase& c : cases()) {
      const json &before = recorded.at(c.name), now = play(c, &before["arm"]);
      EXPECT_LT(largest_difference(now["mean"], before["mean"]), 1e-6) << c.name;
      EXPECT_LT(largest_difference(now["width"], before["width"]), 1e-6) << c.name;
      if (c.policy == "neural-ts") {
        EXPECT_LT(largest_difference(now["probability"], before["probability"]), 1e-5) << c.name;
      }
    }
  });
}

}  // namespace
}  // namespace neuralts
