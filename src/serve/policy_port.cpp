#include "serve/policy_port.hpp"

#include "neuralts/archive.hpp"
#include "policy/policy_file.hpp"
#include "policy/prepared_model.hpp"

namespace neuralts::serve {

std::shared_ptr<const DecisionModel> decision_model(std::string_view bytes, const std::string& where) {
  return prepared_model(neuralts::model_from_bytes(std::span<const char>(bytes.data(), bytes.size()), where));
}

ModelLearner::ModelLearner(std::string_view bytes)
    : learner_(decode_policy({bytes.data(), bytes.size()}, "checkpoint").learner) {}

ModelLearner::ModelLearner(const PolicySpec& spec, std::string_view state) : learner_(make_learner(spec)) {
  constexpr std::uint32_t policy_version = 5;  // of that time
  Reader in({state.data(), state.size()}, "checkpoint", policy_version);
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
  const auto bytes = encode_policy(*learner_, {});
  return {bytes.begin(), bytes.end()};
}

}  // namespace neuralts::serve
