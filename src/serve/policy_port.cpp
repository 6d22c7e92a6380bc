#include "serve/policy_port.hpp"

#include "neuralts/archive.hpp"
#include "policy/prepared_model.hpp"

namespace neuralts::serve {

std::shared_ptr<const DecisionModel> decision_model(std::string_view bytes, const std::string& where) {
  return prepared_model(neuralts::model_from_bytes(std::span<const char>(bytes.data(), bytes.size()), where));
}

ModelLearner::ModelLearner(const PolicySpec& spec, std::string_view bytes) : learner_(make_learner(spec)) {
  Reader in({bytes.data(), bytes.size()}, "checkpoint");
  learner_->restore(in);
  if (!in.at_end()) in.fail();
}

void ModelLearner::observe(const Slice& context, double reward) {
  const Finished round{.context = context, .reward = reward};
  learner_->played(context);
  learner_->observe({&round, 1});
}

bool ModelLearner::train(const std::stop_token& stop) {
  Training how;
  how.stop = stop;
  return !learner_->training_due() || learner_->train(how);
}

std::string ModelLearner::publish() const {
  const auto bytes = model_to_bytes(*learner_->publish());
  return {bytes.begin(), bytes.end()};
}

std::string ModelLearner::save() const {
  Writer out;
  learner_->save(out);
  return {out.bytes().begin(), out.bytes().end()};
}

}  // namespace neuralts::serve
