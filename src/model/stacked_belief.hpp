// The default belief: a network, a constant, a line and a curve side by side, each as far as it predicts, and
// exploration that sets itself.
//
//   mean    = sum of share_i forecast_i, no forecast below the worst reward seen        shares: Stacking
//   width^2 = sd^2 (|phi|^2 (nu_l^2 left + novelty^2) + nu_c^2 left_c + doubt + wonder^2 (left / most left)^4) + (share nu_t sigma)^2
// `left` is the share of the prior variance that is still there, of line and curve (ridge regressions of degree
// 1 and 2), with the noise learned from their one-step-ahead errors; left_c that of the constant, an arm's mean
// (ConstantPath), where arms have weights of their own: each counts by how far it is believed. novelty is 1 /
// (1 + plays) of an arm with weights of its own, and for contexts that share theirs `left` and how much more of
// them is unknown than of those usually played; doubt is half the variance of the forecasts, by how open it is
// whom to believe; wonder is there as long as contexts have not mattered (ArmMeans), most for the arm of a
// decision of which least is known if they do; sigma is the width of the network's tangent features. All in
// units of the rewards' standard deviation sd: the rewards' unit and offset do not matter.
// doc/exploration.md says how the constants were chosen.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>

#include "model/arm_means.hpp"
#include "model/constant_path.hpp"
#include "model/neural_belief.hpp"
#include "model/preparable.hpp"
#include "model/ridge_path.hpp"
#include "model/stacking.hpp"

namespace neuralts {

template <class T>
class StackedPredictor final : public Predictor, public Preparable {
 public:
  /// Of the forecasters the constant is the first and the network the last; path i is the one behind the i-th.
  enum Path : std::size_t { line, curve, paths };

  StackedPredictor(std::shared_ptr<const NeuralPredictor<T>> network, const Shape& shape)
      : network_(std::move(network)), constant_(shape.blocks), paths_(new_paths(shape)) {}

  void predict(const Contexts& contexts, Scratch& scratch, std::span<double> mean,
               std::span<double> width) const override;
  void save(Writer& out) const override;
  std::shared_ptr<const Predictor> prepared() const override;
  /// What save() wrote after the network.
  void load_rest(Reader& in);

  const RidgePath& path(std::size_t i) const { return paths_[i]; }
  const Stacking::Numbers& shares() const { return shares_; }
  const ConstantPath& constant() const { return constant_; }
  std::size_t memory() const { return constant_.memory() + paths_[line].memory() + paths_[curve].memory(); }

  // The learner's side.
  RidgePath& path(std::size_t i) { return paths_[i]; }
  using Paths = std::array<RidgePath, paths>;
  static Paths new_paths(const Shape& shape) { return {RidgePath(shape, 1), RidgePath(shape, 2)}; }
  void set_paths(Paths&& made) { paths_ = std::move(made); }
  ConstantPath& constant() { return constant_; }
  /// 0 where contexts share their weights (one constant for all tells nothing) and where there is no line (the
  /// network is alone).
  double constant_forecast(std::size_t block) const;
  void set_shares(const Stacking& stacking) {
    shares_ = stacking.shares();
    open_ = stacking.open_shares();
    openness_ = stacking.openness();
  }
  /// In standard deviations.
  void set_wonder(double deviations) { wonder_ = deviations; }
  double worst_reward() const { return worst_reward_; }  // infinite before the first
  void set_worst_reward(double reward) { worst_reward_ = reward; }
  /// A forecast in standard deviations, not below the worst reward seen. Two arms that both seem worse than
  /// anything that ever came are equally bad as far as one can know: what is told apart below it is
  /// extrapolation, and would keep the less known one from being tried.
  double bounded(double forecast) const;
  bool shared_weights() const { return network_->network().shape().input.blocks == 1; }
  /// What is left of a context where curve and network, if they are believed, may hide something; 0 for arms
  /// with weights of their own.
  double unknown(const Batch<T>& one, Scratch& scratch) const;
  /// A context was played: `share` is what it counts among the others.
  void play(double unknown, double share) { usually_unknown_ += share * (unknown - usually_unknown_); }
  double usually_unknown() const { return usually_unknown_; }
  void set_usually_unknown(double unknown) { usually_unknown_ = unknown; }
  void set_network(std::shared_ptr<const NeuralPredictor<T>> network) { network_ = std::move(network); }

 private:
  enum class Asked { mean, line_width, all };  // line_width: the line stands for curve and network
  /// Contexts first .. first + count of a batch, all of one block: at most so many at a time.
  static constexpr std::size_t together_max = 16;
  struct Group {
    std::size_t first = 0, count = 0;
    // In standard deviations; of the paths, filled by ask_paths().
    std::array<Stacking::Numbers, together_max> forecasts{};
    // 0 where the mean alone is asked for. left: if contexts matter; drawn: the part of it that is believed.
    std::array<double, together_max> left{}, drawn{}, unknown{};
  };
  /// Of how much of them a path tells.
  struct Voice {
    double draws = 0, left = 0, unknown = 0;
  };
  double share_of(Path path) const { return shares_[path + 1]; }
  Voice voice(std::size_t path, Asked asked) const;
  void ask_paths(const Batch<T>& batch, Asked asked, Scratch& scratch, Group& group) const;
  double size_of(const T* x) const;
  double novelty(std::size_t block, double left, double unknown) const;
  double width_of(std::size_t block, const T* x, double drawn, double novelty,
                  const Stacking::Numbers& forecasts, double tangent) const;
  double doubt(const Stacking::Numbers& forecasts) const;
  void add_wonder(std::span<const double> left, std::span<double> width) const;

  std::shared_ptr<const NeuralPredictor<T>> network_;
  ConstantPath constant_;
  Paths paths_;
  Stacking::Numbers shares_{0, 0, 0, 1}, open_{0, 0, 0, 1};
  double openness_ = 1, wonder_ = 0;
  double worst_reward_ = std::numeric_limits<double>::infinity(), usually_unknown_ = 1;
};

template <class T>
class StackedBelief final : public Belief {
 public:
  explicit StackedBelief(const NeuralSettings& settings);
  StackedBelief(const StackedBelief&) = delete;
  StackedBelief& operator=(const StackedBelief&) = delete;

  const StackedPredictor<T>& predictor() const override { return known_; }
  std::shared_ptr<const Predictor> snapshot() const override;
  std::shared_ptr<const Predictor> read_predictor(Reader& in) const override;

  void played(const Slice& context) override { network_.played(context); }
  void observe(std::span<const Finished> rounds) override;
  bool training_due() const override { return network_.training_due(); }
  void prepare_training(std::vector<TrainJob>& jobs) override { network_.prepare_training(jobs); }
  void finish_training() override;
  bool retain(const Retention& retention) override;

  std::size_t memory() const override;
  std::vector<std::string> notes() const override { return network_.notes(); }
  void save(Writer& out) const override;
  void load(Reader& in) override;

 private:
  static constexpr std::size_t paths = StackedPredictor<T>::paths;
  void compare(const Finished& round);
  /// Takes all memory that observe() needs, so that nothing has changed where there is none.
  void make_room(std::span<const Finished> rounds);
  void catch_up();
  /// What was counted in the rewards' old unit and zero, in those of the scaling as it is.
  void follow_scaling();
  bool catching_up_due() const;
  /// The paths' part of what NeuralBelief::rescaling() says, for so many rounds that came.
  void go_on_rescaling(std::size_t rounds);
  void finish_rescaling();
  double noise(std::size_t path, const Scaling<T>& scaling) const;
  double wonder() const;

  std::size_t ridge_every_;
  NeuralBelief<T> network_;
  StackedPredictor<T> known_;
  Stacking stacking_;
  ArmMeans arm_means_;
  std::array<double, paths> squared_error_{};  // one step ahead, mean over recent rounds, in the rewards' unit
  double unit_ = 0, level_ = 0;                // of the rewards that stacking_ has counted; no unit: none
  std::uint64_t compared_ = 0;                 // rounds
  std::uint64_t fitted_ = 0;                   // rounds of the scaling that the paths stand on
  struct Rescaled {
    typename StackedPredictor<T>::Paths paths;  // on the new scale, as far as they have come, like
    ConstantPath constant;
    std::uint64_t begun;                        // NeuralBelief::rescalings_begun() they belong to
  };
  std::unique_ptr<Rescaled> new_rescaled() const;
  std::unique_ptr<Rescaled> rescaled_;
  Scratch scratch_;
};

}  // namespace neuralts
