// Uniform choice: the baseline every other policy has to beat.
#include "neuralts/archive.hpp"
#include "policy/registry.hpp"

namespace neuralts {

namespace {

class RandomModel final : public Model {
 public:
  explicit RandomModel(std::shared_ptr<const ModelHead> head) : Model(std::move(head)) {}
  void save(Writer&) const override {}

 protected:
  void do_select(const Contexts& contexts, Stream& explore, Scratch&, Decision& out) const override {
    out.arm = explore.below(contexts.arms());
    out.probability = 1.0 / static_cast<double>(contexts.arms());
    out.probabilities.assign(contexts.arms(), out.probability);
  }
};

class RandomLearner final : public Learner {
 public:
  RandomLearner(const PolicySpec& spec, const Settings& settings)
      : Learner(spec, settings.values()), model_(std::make_shared<RandomModel>(head())) {}
  std::size_t memory() const override { return 0; }
  void save(Writer&) const override {}
  void restore(Reader&) override {}

 protected:
  void do_observe(std::span<const Finished>) override {}
  const Model& do_current() const override { return *model_; }
  std::shared_ptr<const Model> do_publish() const override { return model_; }
  std::shared_ptr<const Model> do_read_model(Reader&) const override { return model_; }

 private:
  std::shared_ptr<const Model> model_;
};

}  // namespace

PolicyEntry random_entry() {
  return {{.name = "random", .summary = "uniform choice, learns nothing", .reference = "", .params = {}, .presets = {{"paper", {}}, {"released", {}}, {"tuned", {}}},
           .default_preset = "tuned"},
          [](const PolicySpec& spec, const Settings& settings) { return std::make_unique<RandomLearner>(spec, settings); }};
}

}  // namespace neuralts
