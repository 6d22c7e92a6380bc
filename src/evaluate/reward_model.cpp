#include "evaluate/reward_model.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "neuralts/error.hpp"
#include "neuralts/limits.hpp"
#include "neuralts/random.hpp"

namespace neuralts::evaluation {

namespace {

void copy_within(std::span<const double> means, const Range& rewards, std::span<double> out) {
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = std::clamp(means[k], rewards.low, rewards.high);
}

class CrossFitted final : public RewardModel {
 public:
  CrossFitted(const std::string& policy, Decisions& decisions, std::size_t folds, const Range& rewards,
              std::uint64_t seed)
      : rewards_(rewards), fold_of_(decisions.survey().events) {
    for (std::size_t i = 0; i < fold_of_.size(); ++i) fold_of_[i] = static_cast<std::uint32_t>(i % folds);
    Stream(seed, Purpose::bootstrap, 3).shuffle(fold_of_);  // a log may have a rhythm of its own
    for (std::size_t fold = 0; fold < folds; ++fold)
      models_.emplace_back(policy_spec(policy, decisions.survey().shape, seed), seed + fold);
    Event event;
    std::size_t index = 0;
    for (decisions.rewind("fitting the reward model"); decisions.next(event);) {
      if (!event.reward) continue;
      for (std::size_t fold = 0; fold < folds; ++fold)
        if (fold_of_[index] != fold) models_[fold].learn(event, decisions.copies(event));
      ++index;
    }
  }
  void predict(const Event& event, std::size_t index, std::span<double> out) override {
    copy_within(models_[fold_of_[index]].look(event).mean, rewards_, out);
  }

 private:
  Range rewards_;
  std::vector<std::uint32_t> fold_of_;  // events
  std::vector<Learning> models_;
};

class Forward final : public RewardModel {
 public:
  Forward(const PolicySpec& spec, const Range& rewards, std::uint64_t seed)
      : rewards_(rewards), model_(spec, seed) {}
  void predict(const Event& event, std::size_t, std::span<double> out) override {
    copy_within(model_.look(event).mean, rewards_, out);
  }
  void learn(const Event& event, double copies) override { model_.learn(event, copies); }

 private:
  Range rewards_;
  Learning model_;
};

class Given final : public RewardModel {
 public:
  Given(std::span<const double> rows, std::size_t actions) : rows_(rows), actions_(actions) {}
  void predict(const Event& event, std::size_t index, std::span<double> out) override {
    for (std::size_t k = 0; k < out.size(); ++k) {
      const std::size_t action = event.offer.blocks.empty() ? k : event.offer.blocks[k];
      out[k] = rows_[index * actions_ + action];
      if (!(std::abs(out[k]) <= largest_number))
        throw ContractError("evaluate: the prediction for action " + std::to_string(action) + " of event " +
                            std::to_string(index) + ", both from 0, is " + format_number(out[k]) +
                            ": a finite number, at most 1e15, is needed");
    }
  }

 private:
  std::span<const double> rows_;
  std::size_t actions_;
};

}  // namespace

std::unique_ptr<RewardModel> cross_fitted_model(const std::string& policy, Decisions& decisions,
                                                std::size_t folds, const Range& rewards, std::uint64_t seed) {
  return std::make_unique<CrossFitted>(policy, decisions, folds, rewards, seed);
}

std::unique_ptr<RewardModel> forward_model(const std::string& policy, const Shape& shape,
                                           const Range& rewards, std::uint64_t seed) {
  return std::make_unique<Forward>(policy_spec(policy, shape, seed), rewards, seed);
}

std::unique_ptr<RewardModel> given_model(std::span<const double> rows, std::size_t actions) {
  return std::make_unique<Given>(rows, actions);
}

}  // namespace neuralts::evaluation
