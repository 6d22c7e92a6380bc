#include "policy/joint_draw.hpp"

#include <algorithm>

#include "math/joint_propensity.hpp"

namespace neuralts {

namespace {

class JointModel final : public ModelOverPredictor<JointPredictor> {
 public:
  JointModel(std::shared_ptr<const ModelHead> head, std::shared_ptr<const Predictor> known, double nu,
             std::size_t samples)
      : ModelOverPredictor(std::move(head), std::move(known)), nu_(nu), samples_(samples) {}

 protected:
  void do_select(const Contexts& contexts, Stream& explore, Scratch& scratch, Decision& out) const override {
    const std::size_t arms = contexts.arms(), rank = known().rank();
    const auto factors = scratch.take<double>(arms * rank), xi = scratch.take<double>(rank);
    known().predict_joint(contexts, scratch, out.mean, out.width, factors);
    for (double& value : factors) value *= nu_;
    std::generate(xi.begin(), xi.end(), [&] { return explore.normal(); });
    const math::JointScores scores{out.mean, factors};
    math::joint_scores(scores, xi, out.score);
    out.arm = draw_among_best(out.score, explore);
    // A stream of its own: the estimate's size does not change the run.
    Stream estimate(explore.bits64(), Purpose::exploration);
    math::joint_propensity(scores, xi, samples_, estimate, scratch, out.probabilities);
    if (!(out.probabilities[out.arm] > 0)) give_one_line(out.probabilities, out.arm);
    out.probability = out.probabilities[out.arm];
    out.estimated = arms > 2;
  }

 private:
  // Scores that differ by rounding alone may hide the picked arm from the line through its draw, which then
  // counts as missed by it.
  void give_one_line(std::vector<double>& probabilities, std::size_t arm) const {
    const double line = 1 / static_cast<double>(samples_);
    for (double& probability : probabilities) probability *= 1 - line;
    probabilities[arm] += line;
  }

  double nu_;
  std::size_t samples_;
};

}  // namespace

ModelOver joint_draw(double nu, std::size_t samples) {
  return [=](std::shared_ptr<const ModelHead> head, std::shared_ptr<const Predictor> known) {
    return std::make_unique<JointModel>(std::move(head), std::move(known), nu, samples);
  };
}

ParamInfo joint_draw_info() {
  return {"draw", "joint", "joint | independent",
          "joint: one draw of the parameter for all arms, as published; independent: a draw for each arm, which explores more where arms "
          "are alike and has exact probabilities"};
}

ParamInfo propensity_draws_info() {
  return {"propensity_draws", "64", "1 .. 1000000",
          "samples behind the probabilities of a joint draw over three or more arms: their standard error is at most half of one over its "
          "root, the time of a decision grows with it; choices do not depend on it"};
}

}  // namespace neuralts
