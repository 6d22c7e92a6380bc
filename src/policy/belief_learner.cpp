#include "model/preparable.hpp"
#include "neuralts/extend.hpp"
#include "policy/prepared_model.hpp"

#include <algorithm>

namespace neuralts {

namespace {

class RuleModel final : public ModelOverPredictor<Predictor> {
 public:
  RuleModel(std::shared_ptr<const ModelHead> head, std::shared_ptr<const Predictor> known,
            std::shared_ptr<const Rule> rule)
      : ModelOverPredictor(std::move(head), std::move(known)), rule_(std::move(rule)) {}

  /// Nothing: there is nothing to prepare.
  std::shared_ptr<const Model> prepared() const {
    const auto* ready = dynamic_cast<const Preparable*>(&known());
    return ready == nullptr ? nullptr : std::make_shared<RuleModel>(head(), ready->prepared(), rule_);
  }

 protected:
  void do_select(const Contexts& contexts, Stream& explore, Scratch& scratch, Decision& out) const override {
    known().predict(contexts, scratch, out.mean,
                    rule_->needs_width() ? std::span<double>(out.width) : std::span<double>());
    rule_->choose(explore, scratch, out);
  }

 private:
  std::shared_ptr<const Rule> rule_;
};

class BeliefLearner final : public Learner {
 public:
  BeliefLearner(const PolicySpec& spec, const Params& resolved, std::unique_ptr<Belief> belief,
                ModelOver choose, std::vector<std::string> notes)
      : Learner(spec, resolved),
        belief_(std::move(belief)),
        choose_(std::move(choose)),
        notes_(std::move(notes)),
        current_(choose_(head(),
                         std::shared_ptr<const Predictor>(std::shared_ptr<void>(), &belief_->predictor()))) {}

  std::size_t memory() const override { return belief_->memory(); }
  std::vector<std::string> notes() const override {
    auto all = notes_;
    for (auto& note : belief_->notes()) all.push_back(std::move(note));
    return all;
  }
  void save(Writer& out) const override { belief_->save(out); }
  void restore(Reader& in) override { belief_->load(in); }

 protected:
  void do_offered(const Contexts& contexts) override { belief_->offered(contexts); }
  void do_played(const Slice& context) override { belief_->played(context); }
  // A round of weight 0 is none: it moves no schedule and takes no room.
  void do_observe(std::span<const Finished> rounds) override {
    const auto none = [](const Finished& round) { return round.weight == 0; };
    if (std::none_of(rounds.begin(), rounds.end(), none)) return belief_->observe(rounds);
    std::vector<Finished> some(rounds.begin(), rounds.end());
    std::erase_if(some, none);
    if (!some.empty()) belief_->observe(some);
  }
  bool do_training_due() const override { return belief_->training_due(); }
  void do_prepare(std::vector<TrainJob>& jobs) override { belief_->prepare_training(jobs); }
  void do_finish() override { belief_->finish_training(); }
  const Model& do_current() const override { return *current_; }
  std::shared_ptr<const Model> do_publish() const override { return choose_(head(), belief_->snapshot()); }
  std::shared_ptr<const Model> do_read_model(Reader& in) const override {
    return choose_(head(), belief_->read_predictor(in));
  }

 private:
  std::unique_ptr<Belief> belief_;
  ModelOver choose_;
  std::vector<std::string> notes_;
  std::unique_ptr<Model> current_;  // over the belief's own predictor
};

}  // namespace

std::shared_ptr<const Model> prepared_model(std::shared_ptr<const Model> model) {
  const auto* const rule = dynamic_cast<const RuleModel*>(model.get());
  auto prepared = rule == nullptr ? nullptr : rule->prepared();
  return prepared ? prepared : model;
}

std::unique_ptr<Learner> make_belief_learner(const PolicySpec& spec, const Params& resolved,
                                             std::unique_ptr<Belief> belief, ModelOver choose,
                                             std::vector<std::string> notes) {
  if (belief == nullptr || choose == nullptr)
    throw ContractError("policy '" + spec.name + "': it has no " + (belief == nullptr ? "belief" : "way of choosing"));
  return std::make_unique<BeliefLearner>(spec, resolved, std::move(belief), std::move(choose), std::move(notes));
}

std::unique_ptr<Learner> make_belief_learner(const PolicySpec& spec, const Params& resolved,
                                             std::unique_ptr<Belief> belief, std::unique_ptr<Rule> rule,
                                             std::vector<std::string> notes) {
  if (rule == nullptr) throw ContractError("policy '" + spec.name + "': it has no rule");
  const ModelOver choose = [rule = std::shared_ptr<const Rule>(std::move(rule))](
                               std::shared_ptr<const ModelHead> head,
                               std::shared_ptr<const Predictor> known) {
    return std::make_unique<RuleModel>(std::move(head), std::move(known), rule);
  };
  return make_belief_learner(spec, resolved, std::move(belief), choose, std::move(notes));
}

}  // namespace neuralts
