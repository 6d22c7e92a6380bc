// A belief and a policy of one's own, written against the installed headers alone: it plays, learns, saves,
// loads and continues.
#include <neuralts/agent.hpp>
#include <neuralts/extend.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

using namespace neuralts;

// The mean reward of each block, whatever the context: a bandit without contexts.
class AverageBelief final : public CopiedBelief<AverageBelief> {
 public:
  explicit AverageBelief(std::size_t blocks) : sum_(blocks, 0.0), count_(blocks, 0.0) {}

  void predict(const Contexts& contexts, Scratch&, std::span<double> mean, std::span<double> width) const override {
    for (std::size_t k = 0; k < contexts.arms(); ++k) {
      const std::size_t block = contexts[k].block;
      mean[k] = sum_[block] / (1 + count_[block]);
      if (!width.empty()) width[k] = 1 / std::sqrt(1 + count_[block]);
    }
  }
  void observe(std::span<const Finished> rounds) override {
    for (const Finished& round : rounds) {
      sum_[round.context.block] += round.weight * round.reward;
      count_[round.context.block] += round.weight;
    }
  }
  std::size_t memory() const override { return 2 * sum_.size() * sizeof(double); }
  void save(Writer& out) const override {
    out.values(sum_);
    out.values(count_);
  }
  void load(Reader& in) override {
    sum_ = in.values<double>(sum_.size());
    count_ = in.values<double>(count_.size());
  }

 private:
  std::vector<double> sum_, count_;
};

std::unique_ptr<Learner> make(const PolicySpec& spec, const Settings& settings) {
  return make_belief_learner(spec, settings.values(), std::make_unique<AverageBelief>(spec.shape.blocks),
                             make_thompson(settings.number("nu")));
}

void play(Agent& agent, int rounds) {
  const std::vector<double> x{1.0};
  for (int i = 0; i < rounds; ++i) {
    const std::size_t arm = agent.select(Contexts::disjoint(x, 3)).arm;
    agent.learn({x, arm}, arm == 1 ? 1.0 : 0.0);
  }
}

}  // namespace

int main() {
  register_policy({{.name = "average-ts",
                    .summary = "mean reward of each arm, a draw per arm",
                    .params = {{"nu", "0.5", ">= 0", "exploration: factor of the width"}}},
                   &make});
  Agent agent({.name = "average-ts", .shape = {.length = 1, .blocks = 3}});
  play(agent, 200);
  agent.save("average.nts");
  Agent loaded = Agent::load("average.nts");
  const auto model = agent.policy().publish();
  play(agent, 50);
  play(loaded, 50);
  const std::vector<double> x{1.0};
  const Decision live = agent.select(Contexts::disjoint(x, 3)), again = loaded.select(Contexts::disjoint(x, 3));
  const auto read = model_from_bytes(model_to_bytes(*model), "model");
  std::printf("arm %zu with probability %.3f\n", live.arm, live.probability);
  const bool continues = live.arm == again.arm && live.probabilities == again.probabilities;
  return continues && live.probabilities[1] > 0.9 && read->resolved() == model->resolved() ? 0 : 1;
}
