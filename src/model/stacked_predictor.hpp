// The default belief as a decision sees it: a network, a constant, a line, a curve, bends and neighbours side by
// side, each as far as it predicts, and exploration that sets itself.
//
//   mean    = followed * sum of share_i forecast_i, no forecast below the worst reward seen
//                                                                          shares, followed: Stacking
//   width^2 = sd^2 time (|phi|^2 (nu_l^2 left neglect + novelty^2) + nu_c^2 left_c + doubt) + (share nu_t sigma)^2
//             + ((wonder (left / most left)^2 + wonder of the arm) smaller^20)^2 + second chance^2
// Where contexts share their weights and those of a decision have columns in common, shares are of what is forecast of these
// and of what is said beyond it, by weights of its own each as far as that is evidently better (PartStacking).
// `left` is the share of the prior variance that is still there, of line and curve (ridge regressions of degree 1 and
// 2), with the noise learned from their one-step-ahead errors; left_c that of the constant, an arm's mean
// (ConstantPath), where arms have weights of their own: each counts by how far it is believed. neglect, of such arms,
// grows with the logarithm of how much more is left of an arm than of the best known one of the decision, as far as rewards
// are noise and contexts matter. novelty is 1 / (1 + plays) of an arm with weights of its own, and for contexts that share
// theirs `left` and how much more of them is unknown than of those usually played and of the best known of the decision,
// more so the less rewards are noise; doubt is half the variance of the forecasts, by how open it is whom to believe,
// and, where contexts share their weights and those of a decision have no columns in common, what the curve hopes for beyond
// the mean, as far as its hopes have come true (Hopes), so that who leads is put to the test where he says that there is
// nothing; where they have such columns nu_l and doubt are half of that; wonder is there as long as the arm
// alone tells the reward (ArmMeans) and contexts have not mattered, most for the arm of a decision of which least is
// known if they do, and when they do for arms that have always paid the same; at the edge, smaller being the share of the
// contexts met that are nearer to the middle (ContextSizes); a second chance has, where contexts share their weights, who is forecast
// below the mean reward after far fewer rounds than others of the decision; sigma is the width of the network's
// tangent features; time is less than 1 while arms with weights of their own have had but few rounds each. All in
// units of the rewards' standard deviation sd, and wonder in that of arms' means: the rewards' unit and offset do not
// matter.
// followed, where contexts share their weights and there is no curve to hope: forecasts that scatter more than rewards
// follow them (a network that fits noise) would tell arms apart so clearly that widths are not heard, and whoever
// happens to lead is played on. Otherwise 1.
// Where rewards take two values the line of arms with weights of their own forecasts as a logistic one does (LogisticPath);
// what is left of it is told by the ridge all the same.
// In the first rounds of arms with weights of their own, and of actions told by a few columns among many that they have in
// common, a kernel (EarlyKernel) speaks instead, in part: of mean and width alike.
// doc/exploration-log.md says how the constants were chosen.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "model/common_columns.hpp"
#include "model/context_sizes.hpp"
#include "model/early_kernel.hpp"
#include "model/exact_paths.hpp"
#include "model/hopes.hpp"
#include "model/neural_predictor.hpp"
#include "model/offered.hpp"
#include "model/preparable.hpp"
#include "model/part_stacking.hpp"

namespace neuralts {

template <class T>
class StackedPredictor final : public Predictor, public Preparable {
 public:
  /// `early_expected`: somebody may have a say in the first rounds.
  StackedPredictor(std::shared_ptr<const NeuralPredictor<T>> network, ExactPaths paths, bool early_expected)
      : network_(std::move(network)),
        exact_(std::move(paths)),
        early_expected_(early_expected),
        wonder_of_arms_(network_->network().shape().input.blocks) {}

  void predict(const Contexts& contexts, Scratch& scratch, std::span<double> mean,
               std::span<double> width) const override;
  void save(Writer& out) const override;
  std::shared_ptr<const Predictor> prepared() const override;
  /// What save() wrote after the network.
  void load_rest(const EarlyKernel& early, Reader& in);

  const RidgePath& path(std::size_t i) const { return exact_.ridge[i]; }
  const Stacking::Numbers& shares() const { return shares_; }
  const ExactPaths& exact() const { return exact_; }

  // The learner's side.
  ExactPaths& exact() { return exact_; }
  /// What is said of one context, in standard deviations of the rewards; the constant first, the network last.
  struct Said {
    Stacking::Numbers forecasts;
    /// What is left of it where curve and network, if they are believed, may hide something; 0 for arms with
    /// weights of their own, and where it was not asked for.
    double unknown;
    double size;  // |phi|^2
  };
  Said say(const Contexts& one, bool ask_unknown, Scratch& scratch) const;
  /// Where contexts share their weights and those of a decision have columns in common: what all of them say of `one` as it
  /// would be but for these, the others being as usual. Otherwise 0, and so are the numbers below.
  Stacking::Numbers say_common(const Contexts& one, Scratch& scratch) const;
  bool tells_common() const { return shared_weights() && common_.any(); }
  CommonColumns& common() { return common_; }
  const CommonColumns& common() const { return common_; }
  /// What they say beyond that.
  static Stacking::Numbers apart(Stacking::Numbers forecasts, const Stacking::Numbers& common);
  void believe(const Stacking& stacking, const Hopes& hopes, const PartStacking& parts);
  /// Of both parts in one.
  const Stacking::Numbers& weights() const { return weights_; }
  /// In the rewards' unit: about any arm, and about one.
  void set_wonder(double wonder) { wonder_ = wonder; }
  std::span<double> wonder_of_arms() { return wonder_of_arms_; }
  void save_wonder(Writer& out) const;
  void load_wonder(Reader& in);
  ContextSizes& sizes() { return sizes_; }
  /// |phi|^2 of the line, of a standardised context.
  double size_of(const T* x) const;
  double worst_reward() const { return worst_reward_; }  // infinite before the first
  void set_worst_reward(double reward) { worst_reward_ = reward; }
  bool shared_weights() const { return network_->network().shape().input.blocks == 1; }
  /// Whether there is a curve that all contexts share: what it says beyond the mean is looked for.
  bool shared_curve() const { return shared_weights() && exact_.ridge[ExactPaths::curve].affordable(); }
  /// A context was played: `share` is what it counts among the others.
  void play(double unknown, double share) { usually_unknown_ += share * (unknown - usually_unknown_); }
  double usually_unknown() const { return usually_unknown_; }
  void set_usually_unknown(double unknown) { usually_unknown_ = unknown; }
  /// As it is now, before the others know much; by so much of its part.
  void hear(const EarlyKernel& early, double by) { early_ = early.predictor(), early_part_ = by * early.part(); }
  /// What all of them say together, but for who is heard early; in standard deviations. Of what tells contexts of a decision
  /// apart, and of what these have in common.
  double mixed(const Stacking::Numbers& forecasts) const { return Stacking::said(parts_.apart, forecasts); }
  double mixed_common(const Stacking::Numbers& forecasts) const { return Stacking::said(parts_.common, forecasts); }
  void set_network(std::shared_ptr<const NeuralPredictor<T>> network) { network_ = std::move(network); }

 private:
  enum class Asked { mean, line_width, all };  // line_width: the line stands for curve and network
  /// Contexts first .. first + count of a batch, all of one block: at most so many at a time.
  static constexpr std::size_t together_max = 16;
  struct Group {
    std::size_t first = 0, count = 0;
    // In standard deviations: the constant, the ridges, the network.
    std::array<Stacking::Numbers, together_max> forecasts{};
    // 0 where the mean alone is asked for. left: if contexts matter; drawn: the part of it that is believed.
    std::array<double, together_max> left{}, drawn{}, unknown{};
  };
  /// Of how much of them a ridge tells.
  struct Voice {
    double draws = 0, left = 0, unknown = 0;
  };
  /// Whether arms have constants of their own and contexts have not differed in the rounds there were: then they cannot
  /// matter, and whoever looks at them says what the constant says.
  bool contexts_alike() const;
  /// What follows from weights_.
  void set_shares();
  double share_of(ExactPaths::Path path) const { return shares_[path + 1]; }
  Voice voice(std::size_t ridge, Asked asked) const;
  /// Fills a group's numbers. `network`: what the network says of its contexts, in the rewards' unit.
  void ask(const Batch<T>& batch, const double* network, Asked asked, Scratch& scratch, Group& group) const;
  void ask_logistic(const Batch<T>& batch, Group& group) const;
  void ask_kernel(const Batch<T>& batch, Group& group) const;
  void ask_neighbours(const Batch<T>& batch, Scratch& scratch, Group& group) const;
  void ask_ridge(std::size_t i, const Batch<T>& batch, Asked asked, Scratch& scratch, Group& group) const;
  /// A forecast in standard deviations, not below the worst reward seen. Two arms that both seem worse than
  /// anything that ever came are equally bad as far as one can know: what is told apart below it is
  /// extrapolation, and would keep the less known one from being tried.
  double bounded(double forecast) const;
  /// Not where contexts share their weights (one constant for all tells nothing) and where there is no line (the
  /// network is alone).
  bool constants_speak() const { return !shared_weights() && exact_.speaks(ExactPaths::line); }
  double constant_forecast(std::size_t block) const;
  double novelty(std::size_t block, double left) const;
  double width_of(std::size_t block, double size, double drawn, double novelty,
                  const Stacking::Numbers& forecasts, double tangent) const;
  /// 0 .. 1; of the width's square: less than 1 while there were but few rounds for every arm.
  double time_for_arms() const;
  double doubt(const Stacking::Numbers& forecasts) const;
  double hope(const Stacking::Numbers& forecasts) const;
  double early_part(const Contexts& contexts) const;
  void add_early(const Contexts& contexts, double part, Scratch& scratch, std::span<double> mean,
                 std::span<double> width) const;
  /// Whether contexts share their weights and there is a line that tells what is known of them.
  bool tells_rare() const;
  void add_wonder(const Batch<T>& batch, std::span<const Offered> offered, std::span<double> width) const;

  std::shared_ptr<const NeuralPredictor<T>> network_;
  ExactPaths exact_;
  std::shared_ptr<const EarlyKernel::Spoken> early_;
  double early_part_ = 0;
  bool early_expected_;
  Stacking::Numbers weights_{0, 0, 0, 0, 0, 1}, shares_ = weights_, open_ = weights_;  // weights: followed * share
  CommonColumns common_;
  PartStacking::Weights parts_{weights_, weights_};
  double openness_ = 1, wonder_ = 0, fulfilled_ = 1;
  double worst_reward_ = std::numeric_limits<double>::infinity(), usually_unknown_ = 1;
  ContextSizes sizes_;
  std::vector<double> wonder_of_arms_;
};

}  // namespace neuralts
