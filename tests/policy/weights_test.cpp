// Policies that start from given weights.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "neuralts/agent.hpp"

namespace neuralts {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// Two inputs, two units, with biases: f = 3 relu(x1 + 2 x2 + 0.5) - 4 relu(-x1 + 0.25) + 1.
PolicySpec given() {
  return {.name = "neural-ts",
          .preset = "released",
          .params = {{"units", "2"}, {"precision", "float64"}, {"start", "initial"}, {"iterations", "5"}},
          .shape = {2, 1},
          .weights = {1, 2, -1, 0, 0.5, 0.25, 3, -4, 1}};
}

Decision ask(const Policy& policy, std::span<const double> contexts) {
  Stream stream(1, Purpose::exploration);
  Scratch scratch;
  Decision out;
  policy.select(Contexts::per_arm(contexts, contexts.size() / 2), stream, scratch, out);
  return out;
}

TEST(Weights, AreTheNetworkARowPerOutput) {
  const auto policy = make_policy(given());
  const std::vector<double> x = {0.6, -0.2, -0.5, 0.1};
  const Decision d = ask(*policy, x);
  EXPECT_NEAR(d.mean[0], 3 * 0.7 - 0 + 1, 1e-12);
  EXPECT_NEAR(d.mean[1], 3 * 0.2 - 4 * 0.75 + 1, 1e-12);
}

// start=initial goes back to them at every training: a loaded policy must still have them.
TEST(Weights, AreSavedWithThePolicy) {
  Agent first(given());
  const std::vector<double> x = {0.6, -0.2};
  const Contexts contexts = Contexts::per_arm(x, 1);
  const auto bytes = first.to_bytes();
  Agent second = Agent::from_bytes(bytes, "test");
  for (Agent* agent : {&first, &second}) {
    const Finished round{contexts[0], 1.0};
    agent->learn({&round, 1});
  }
  EXPECT_EQ(ask(first.policy(), x).mean, ask(second.policy(), x).mean);
  EXPECT_EQ(ask(first.policy(), x).width, ask(second.policy(), x).width);
}

TEST(Weights, WrongOnesAreRefused) {
  PolicySpec spec = given();
  spec.weights.pop_back();
  EXPECT_THAT([&] { make_policy(spec); },
              ThrowsMessage<ContractError>(
                  HasSubstr("8 numbers, but the network has 9 (units 2, depth 2, with biases)")));
  spec.weights.push_back(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THAT([&] { make_policy(spec); }, ThrowsMessage<ContractError>(HasSubstr("not all are finite")));
  spec = {.name = "linear-ts", .preset = "", .params = {}, .shape = {2, 1}, .weights = {1, 2}};
  EXPECT_THAT([&] { make_policy(spec); }, ThrowsMessage<Error>(HasSubstr("takes no weights")));
}

}  // namespace
}  // namespace neuralts
