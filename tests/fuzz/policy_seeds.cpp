// usage: policy_seeds FOLDER — writes one saved policy of every name and preset, after a few rounds, for the
// fuzzer to begin with.
#include <fstream>
#include <string>

#include "fuzz/lab_targets.hpp"
#include "policy/candidates.hpp"
#include "policy/small_world.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  using namespace neuralts;
  for (const auto& candidate : candidates()) {
    Agent agent(candidate.spec({.length = 2}));
    for (int i = 0; i < 3; ++i) {
      const std::vector<double> contexts{0.6, 0.8, 1.0, 0.0};
      const Decision decision = agent.select(Contexts::per_arm(contexts, 2));
      agent.learn(std::vector<Finished>{{{std::span(contexts).subspan(2 * decision.arm, 2), 0}, 0.5 * i}});
    }
    const auto bytes = agent.to_bytes();
    std::ofstream(std::string(argv[1]) + "/" + candidate.name(), std::ios::binary)
        << fuzz::body_of({bytes.data(), bytes.size()});
  }
}
