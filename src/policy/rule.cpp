#include "neuralts/rule.hpp"

#include <algorithm>

#include "math/propensity.hpp"

namespace neuralts {

namespace {

// Every arm whose score is the largest gets an equal share.
void share_among_best(Decision& out) {
  const double best = *std::max_element(out.score.begin(), out.score.end());
  const double share = 1.0 / static_cast<double>(std::count(out.score.begin(), out.score.end(), best));
  for (std::size_t k = 0; k < out.score.size(); ++k) out.probabilities[k] = out.score[k] == best ? share : 0.0;
}

void settle(Decision& out, std::size_t arm) {
  out.arm = arm;
  out.probability = out.probabilities[arm];
}

// The largest mean + scale * bonus(width); without a bonus the largest mean.
class BestScore final : public Rule {
 public:
  using Bonus = double (*)(double width);
  BestScore(double scale, Bonus bonus) : scale_(scale), bonus_(bonus) {}
  bool needs_width() const override { return bonus_ != nullptr; }
  void choose(Stream& explore, Scratch&, Decision& out) const override {
    out.score = out.mean;
    if (bonus_ != nullptr)
      for (std::size_t k = 0; k < out.mean.size(); ++k) out.score[k] += scale_ * bonus_(out.width[k]);
    share_among_best(out);
    settle(out, draw_among_best(out.score, explore));
  }

 private:
  double scale_;
  Bonus bonus_;
};

class EpsilonGreedy final : public Rule {
 public:
  explicit EpsilonGreedy(double epsilon) : epsilon_(epsilon) {}
  bool needs_width() const override { return false; }
  void choose(Stream& explore, Scratch&, Decision& out) const override {
    choose_epsilon_greedy(epsilon_, explore, out);
  }

 private:
  double epsilon_;
};

class Thompson final : public Rule {
 public:
  Thompson(double nu, double optimism) : nu_(nu), optimism_(optimism) {}
  bool needs_width() const override { return true; }
  void choose(Stream& explore, Scratch& scratch, Decision& out) const override {
    const auto sigma = scratch.take<double>(out.mean.size()), centre = scratch.take<double>(out.mean.size());
    for (std::size_t k = 0; k < out.mean.size(); ++k) {
      sigma[k] = nu_ * out.width[k];
      centre[k] = out.mean[k] + optimism_ * sigma[k];
      out.score[k] = centre[k] + sigma[k] * explore.normal();
    }
    math::thompson_propensity(centre, sigma, scratch, out.probabilities);
    settle(out, draw_among_best(out.score, explore));
  }

 private:
  double nu_, optimism_;
};

}  // namespace

std::size_t draw_among_best(std::span<const double> score, Stream& explore) {
  const auto first = std::max_element(score.begin(), score.end());
  const auto count = static_cast<std::size_t>(std::count(first, score.end(), *first));
  auto arm = first;
  for (std::size_t skip = count > 1 ? explore.below(count) : 0; skip > 0; --skip)
    arm = std::find(arm + 1, score.end(), *first);
  return static_cast<std::size_t>(arm - score.begin());
}

void choose_epsilon_greedy(double epsilon, Stream& explore, Decision& out) {
  out.score = out.mean;
  share_among_best(out);
  const std::size_t arms = out.mean.size();
  for (double& p : out.probabilities) p = (1 - epsilon) * p + epsilon / static_cast<double>(arms);
  const bool explores = explore.uniform() < epsilon;
  settle(out, explores ? explore.below(arms) : draw_among_best(out.score, explore));
}

std::unique_ptr<Rule> make_greedy() { return std::make_unique<BestScore>(0, nullptr); }
std::unique_ptr<Rule> make_epsilon_greedy(double epsilon) { return std::make_unique<EpsilonGreedy>(epsilon); }
std::unique_ptr<Rule> make_ucb(double nu) {
  return std::make_unique<BestScore>(nu, [](double width) { return width; });
}
std::unique_ptr<Rule> make_variance_ucb(double scale) {
  return std::make_unique<BestScore>(scale, [](double width) { return width * width; });
}
std::unique_ptr<Rule> make_thompson(double nu) { return std::make_unique<Thompson>(nu, 0); }
std::unique_ptr<Rule> make_optimistic_thompson(double nu, double optimism) {
  return std::make_unique<Thompson>(nu, optimism);
}

}  // namespace neuralts
