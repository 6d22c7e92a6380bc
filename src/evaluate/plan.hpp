// What is to be done, checked before the first event is judged.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "evaluate/judge.hpp"
#include "evaluate/summary.hpp"

namespace neuralts::evaluation {

struct Plan {
  std::vector<std::string> policies, estimators;
  std::string interval, model;
  double confidence = 0.95;
  JudgeSettings judging;
  std::size_t folds = 5, points = 0;
  bool with_model = false, forward = false, replay = false;
  std::vector<std::string> notes{};

  Question question(const std::string& estimator) const;
  /// Null when no estimator needs one. Cross-fitting reads all decisions once.
  std::unique_ptr<RewardModel> make_model(Decisions& decisions, const GivenRows& given) const;
  std::vector<Candidate> candidates(const Survey& survey, const GivenRows& given) const;
};

/// Options whose words are known. The constructor throws Error(bad_spec).
class Request {
 public:
  explicit Request(const EvaluationOptions& options);
  Plan plan(const Survey& survey, const GivenRows& given) const;

 private:
  Range rewards(const Survey& survey, std::vector<std::string>& notes) const;
  const EvaluationOptions& options_;
  std::vector<std::string> estimators_;
  std::string interval_;
};

}  // namespace neuralts::evaluation
