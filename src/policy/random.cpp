// Uniform choice: the baseline every other policy has to beat.
#include "base/archive.hpp"
#include "policy/registry.hpp"

namespace neuralts {

namespace {

class RandomPolicy final : public Policy {
 public:
  RandomPolicy(const PolicySpec& spec, const Settings& settings) : Policy(spec, settings.values()) {}
  std::size_t memory() const override { return 0; }
  void save(Writer&) const override {}
  void restore(Reader&) override {}

 protected:
  void do_select(const Contexts& contexts, Stream& explore, Scratch&, Decision& out) const override {
    out.arm = explore.below(contexts.arms());
    out.probability = 1.0 / static_cast<double>(contexts.arms());
    out.probabilities.assign(contexts.arms(), out.probability);
  }
  void do_learn(std::span<const Finished>) override {}
};

}  // namespace

PolicyEntry random_entry() {
  return {{.name = "random", .summary = "uniform choice, learns nothing", .reference = "", .params = {}, .presets = {{"paper", {}}, {"released", {}}, {"tuned", {}}},
           .default_preset = "tuned"},
          [](const PolicySpec& spec, const Settings& settings) -> std::unique_ptr<Policy> {
            return std::make_unique<RandomPolicy>(spec, settings);
          }};
}

}  // namespace neuralts
