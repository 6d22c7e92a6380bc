#include <neuralts/agent.hpp>
#include <neuralts/version.hpp>

#include <cstdio>
#include <vector>

int main() {
  const std::vector<double> contexts = {1, 0, 0, 1, 0.6, 0.8};  // three arms, two numbers each
  neuralts::Agent agent({.name = "random", .shape = {.length = 2}});
  const auto& decision = agent.select(neuralts::Contexts::per_arm(contexts, 3));
  agent.learn({std::span(contexts).subspan(2 * decision.arm, 2)}, 1.0);
  std::printf("neuralts %s: arm %zu with probability %.3f\n", neuralts::version(), decision.arm,
              decision.probability);
  return decision.probabilities.size() == 3 ? 0 : 1;
}
