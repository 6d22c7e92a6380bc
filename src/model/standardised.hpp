// A belief that sees contexts and rewards standardised (model/standardiser.hpp), with a constant behind every
// context if asked for: what makes the linear and the kernel beliefs independent of units and offsets.
//
// While the arm alone has told the rewards (ArmMeans), their scatter says nothing of what contexts may do:
// widths are then up to eleven times as large.
//
// The scale is fitted anew whenever the rounds' weight has grown by half, and the inner belief learns all of
// them again; from `settled` rounds on it stands, and only rounds for retain() are kept. So memory stays
// bounded, and a round costs three times the inner belief's on average. Until then a round of weight 2 is the
// round twice.
#pragma once

#include <type_traits>

#include "model/arm_means.hpp"
#include "model/round_list.hpp"
#include "model/standardiser.hpp"
#include "neuralts/belief.hpp"

namespace neuralts {

struct StandardisedSettings {
  Shape shape;
  StandardiserSettings standardise;
  double intercept = 0;        ///< what stands behind every context; 0: nothing
  std::size_t settled = 4096;  ///< rounds
  std::size_t remembers = 0;   ///< of the latest rounds, how many are kept for retain(); 0: none, and it cannot

  /// What the inner belief sees.
  Shape inner_shape() const { return {shape.length + (intercept > 0 ? 1 : 0), shape.blocks}; }
};

template <class Inner>
using PredictorBase = std::conditional_t<std::is_base_of_v<JointPredictor, Inner>, JointPredictor, Predictor>;

/// What a decision needs. `Inner`: a CopiedBelief.
template <class Inner>
class StandardisedPredictor : public PredictorBase<Inner> {
 public:
  StandardisedPredictor(const StandardisedSettings& settings, const Inner& inner)
      : settings_(settings), scaling_(settings.shape.length), inner_(inner) {}

  void predict(const Contexts& contexts, Scratch& scratch, std::span<double> mean,
               std::span<double> width) const override;
  void save(Writer& out) const override;
  void load(Reader& in);

  // The learner's side.
  const StandardisedSettings& settings() const { return settings_; }
  void set_width_factor(double factor) { width_factor_ = factor; }
  Scaling<double>& scaling() { return scaling_; }
  const Scaling<double>& scaling() const { return scaling_; }
  Inner& inner() { return inner_; }
  const Inner& inner() const { return inner_; }
  /// A context as the inner belief sees it, into inner_shape().length numbers.
  void map(std::span<const double> x, double* out) const;

 protected:
  Contexts map(const Contexts& contexts, Scratch& scratch) const;
  void in_rewards_unit(std::span<double> mean, std::span<double> width) const;
  double width_unit() const { return width_factor_ * scaling_.width(1); }

 private:
  StandardisedSettings settings_;
  Scaling<double> scaling_;
  Inner inner_;
  double width_factor_ = 1;
};

/// The same over a belief about one common parameter.
template <class Inner>
class StandardisedJointPredictor final : public StandardisedPredictor<Inner> {
 public:
  using StandardisedPredictor<Inner>::StandardisedPredictor;
  std::size_t rank() const override { return this->inner().rank(); }
  void predict_joint(const Contexts& contexts, Scratch& scratch, std::span<double> mean, std::span<double> width,
                     std::span<double> factors) const override;
};

template <class Inner>
class StandardisedBelief final : public Belief {
 public:
  using Known = std::conditional_t<std::is_base_of_v<JointPredictor, Inner>,
                                   StandardisedJointPredictor<Inner>, StandardisedPredictor<Inner>>;
  /// `inner`: as it is before its first round, of settings.inner_shape().
  StandardisedBelief(const StandardisedSettings& settings, const Inner& inner);

  const Known& predictor() const override { return known_; }
  std::shared_ptr<const Predictor> snapshot() const override { return std::make_shared<Known>(known_); }
  std::shared_ptr<const Predictor> read_predictor(Reader& in) const override;
  void observe(std::span<const Finished> rounds) override;
  bool retain(const Retention& retention) override;
  std::size_t memory() const override;
  std::vector<std::string> notes() const override { return known_.inner().notes(); }
  void save(Writer& out) const override;
  void load(Reader& in) override;

 private:
  bool settled() const { return count_ >= settings_.settled; }
  /// The weight of rounds to which the scale is fitted last when `more` come one by one after `count` rounds of
  /// weight `total`; 0: at none of them.
  double last_fit(std::uint64_t count, double total, std::span<const Finished> more) const;
  /// With the scale of the first `weight` of `rounds`, learned from all of them.
  Known fitted_to(std::span<const Finished> rounds, double weight) const;
  double width_factor() const;
  static void teach(Known& known, std::span<const Finished> rounds);

  StandardisedSettings settings_;
  Inner blank_;
  Known known_;
  RoundList kept_;  // all until the scale stands, then `remembers` of them
  ArmMeans arm_means_;
  std::uint64_t count_ = 0;
  double total_ = 0;         // their weight, until the scale stands
  bool discounted_ = false;  // kept_ does not know: retain() alone fits anew
};

}  // namespace neuralts
