#include "evaluate/judge.hpp"

#include <algorithm>
#include <cmath>

#include "evaluate/inspector.hpp"

namespace neuralts::evaluation {

namespace {

/// The event as all policies find it.
struct Scene {
  const Event& event;
  std::size_t index;
  std::span<const double> predictions;  ///< empty without a model
  double copies;                        ///< how many events it stands for, on average 1
  bool known() const { return event.probabilities.size() == event.arms(); }
};

class Judge {
 public:
  Judge(Candidate candidate, const JudgeSettings& settings, const Survey& survey)
      : candidate_(std::move(candidate)),
        settings_(settings),
        survey_(survey),
        coins_(settings.seed, Purpose::bootstrap, 2),
        inspector_(survey.most_copies / survey.mean_copies) {
    judgement_.policy = candidate_.name;
    judgement_.learns = candidate_.target->learns();
    judgement_.events.reserve(survey.events);
    judgement_.predictions = settings.rewards;
    judgement_.copies = {survey.least_copies / survey.mean_copies, survey.most_copies / survey.mean_copies};
    judgement_.most = survey.all_probabilities ? 1 : judgement_.copies.high / survey.least_probability;
  }

  void see(const Scene& scene) {
    mine_.resize(scene.event.arms());
    candidate_.target->probabilities(scene.event, scene.index, mine_);
    const Seen seen = weigh(scene);
    judgement_.events.push_back(seen);
    candidate_.target->learn(scene.event, std::min(seen.judged.weight, settings_.heaviest_lesson));
    if (candidate_.replayed != nullptr) replay(scene);
  }
  void see_open() { inspector_.add_open(); }

  Judgement result() {
    judgement_.diagnostics = inspector_.result();
    judgement_.doubts = candidate_.target->doubts();
    return std::move(judgement_);
  }

 private:
  Seen weigh(const Scene& scene) {
    const Event& event = scene.event;
    Seen seen;
    Judged& judged = seen.judged;
    judged.weight = mine_[event.arm] / event.probability();
    judged.reward = *event.reward;
    double most = scene.known() ? 0 : 1 + 1 / survey_.least_probability;  // as far as the log shows
    if (scene.known())
      for (std::size_t b = 0; b < mine_.size(); ++b) {
        const double h = event.probabilities[b];
        if (h > 0) {
          most = std::max(most, mine_[b] / h);
        } else {
          seen.unsupported += mine_[b];
          if (!scene.predictions.empty()) seen.unsupported_expected += mine_[b] * scene.predictions[b];
        }
      }
    if (!scene.predictions.empty()) predict(scene, judged);
    inspector_.add(judged.weight, seen.unsupported, most, scene.copies);
    if (scene.known()) inspector_.add_logged(event.probabilities, event.arm, scene.copies);
    if (scene.known()) judgement_.most = std::max(judgement_.most, most * scene.copies);
    judged.copies = scene.copies;
    for (double* term : {&judged.weight, &judged.expected, &seen.unsupported, &seen.unsupported_expected})
      *term *= scene.copies;
    return seen;
  }

  void predict(const Scene& scene, Judged& judged) {
    const auto& h = scene.event.probabilities;
    for (const double q : scene.predictions)  // those given from outside may be no reward at all
      judgement_.predictions = {std::min(judgement_.predictions.low, q), std::max(judgement_.predictions.high, q)};
    judged.predicted = scene.predictions[scene.event.arm];
    for (std::size_t b = 0; b < mine_.size(); ++b) {
      judged.expected += mine_[b] * scene.predictions[b];
      if (!scene.known() || survey_.copies_differ()) continue;
      const double q = std::clamp((scene.predictions[b] - settings_.rewards.low) / settings_.rewards.width(),
                                  0.0, 1.0);
      judged.floor += std::min(mine_[b] * q, settings_.k * h[b]);
      judged.loss_floor += std::min(mine_[b] * (1 - q), settings_.k * h[b]);
    }
  }

  // The event is kept with probability pi(a) * (least h of all) / h(a), and the more often the more decisions it stands
  // for: what is kept is distributed as if the policy had played.
  void replay(const Scene& scene) {
    candidate_.replayed->probabilities(scene.event, scene.index, mine_);
    const double keep = mine_[scene.event.arm] * survey_.least_probability / scene.event.probability() *
                        scene.copies / judgement_.copies.high;
    if (!(coins_.uniform() < keep)) return;
    judgement_.replayed.push_back(*scene.event.reward);
    candidate_.replayed->learn(scene.event, 1);
  }

  Candidate candidate_;
  const JudgeSettings& settings_;
  const Survey& survey_;
  Stream coins_;
  Inspector inspector_;
  Judgement judgement_;
  std::vector<double> mine_;  // pi of the event at hand
};

}  // namespace

std::vector<Judgement> judge(Decisions& decisions, std::vector<Candidate> candidates, RewardModel* model,
                             const JudgeSettings& settings, std::vector<double>* times) {
  std::vector<Judge> judges;
  for (auto& candidate : candidates) judges.emplace_back(std::move(candidate), settings, decisions.survey());
  std::vector<double> predictions;
  std::size_t index = 0;
  Event event;
  for (decisions.rewind("judging"); decisions.next(event);) {
    if (!event.reward) {
      for (auto& judge : judges) judge.see_open();
      continue;
    }
    if (model != nullptr) {
      predictions.resize(event.arms());
      model->predict(event, index, predictions);
    }
    const Scene scene{event, index++, predictions, decisions.copies(event)};
    try {
      for (auto& judge : judges) judge.see(scene);
    } catch (const FieldError& refused) {
      decisions.fail(refused);
    }
    if (model != nullptr) model->learn(event, scene.copies);
    if (times != nullptr) times->push_back(event.time);
  }
  std::vector<Judgement> all;
  for (auto& judge : judges) all.push_back(judge.result());
  return all;
}

}  // namespace neuralts::evaluation
