// The neural belief: mean from a network trained on finished rounds, width from the network's tangent features.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "model/design_growth.hpp"
#include "model/fit_settings.hpp"
#include "model/round_list.hpp"

namespace neuralts {

enum class PosteriorKind { automatic, exact, diagonal };
enum class Design { played, rewarded };
enum class Grow { before_training, after_training };

struct NeuralSettings : FitSettings {
  std::vector<double> theta0;  ///< given weights instead of an initialisation; empty: none given

  PosteriorKind posterior = PosteriorKind::automatic;
  PosteriorSettings design_width;
  Design design = Design::rewarded;  ///< which event grows U
  Grow grow = Grow::after_training;  ///< U at theta_{t-1} or at theta_t; only for Design::rewarded

  /// Width in units of the recent residuals' standard deviation, at most the rewards' own.
  bool calibrate = false;
  /// Decide by the mean of the weights over about this share of the rounds; 0: by the last weights.
  double averaging = 0;
  /// A new scaling makes the design anew, from all rounds at the weights of that moment; a bounded one always.
  bool refresh = false;
  Pace ridge;                 ///< rounds that ridges beside the network take in together
  bool kernel = false;        ///< speaks beside the network where there are too many columns for a curve
  bool bends = false;         ///< likewise where there are few enough, and arms have weights of their own
  bool neighbours = false;    ///< likewise: what the nearest rounds paid
  bool logistic = false;      ///< likewise: a logistic line where arms' rewards take two values
  bool early = false;         ///< a kernel speaks in the first rounds
  double early_intercept = 0; ///< of that kernel
  bool doubling = false;      ///< restart before round 2^s: the doubling trick for an unknown horizon
};

/// T: float or double, of the network and the features.
template <class T>
class NeuralBelief final : public Belief {
 public:
  /// `keeps_beyond`: take_in() is told of every reward what was said of it that no line of its context says.
  explicit NeuralBelief(const NeuralSettings& settings, bool keeps_beyond = false);

  const NeuralPredictor<T>& predictor() const override { return known_; }
  const Observations<T>& observations() const { return observations_; }
  std::shared_ptr<const Predictor> snapshot() const override {
    return std::make_shared<NeuralPredictor<T>>(known_);
  }
  std::shared_ptr<const Predictor> read_predictor(Reader& in) const override;

  void played(const Slice& context) override;
  void observe(std::span<const Finished> rounds) override;
  /// Takes all memory that observe() needs, so that it cannot fail; a design that grows with the rounds may
  /// fall behind. Changes nothing.
  void make_room(std::span<const Finished> rounds);
  /// observe() after that. `beyond`: one for each round, or none.
  void take_in(std::span<const Finished> rounds, std::span<const double> beyond = {});
  /// A long history is scaled anew in parts, some of them with every round that take_in() is given. Until
  /// finish_rescaling() decisions stand on what they stood on, and nothing is trained.
  bool rescaling() const { return rescaling_ != nullptr; }
  /// How often that began, also because rounds left meanwhile: what others make anew from the rounds begins
  /// again then.
  std::uint64_t rescalings_begun() const { return rescalings_begun_; }
  /// Whether all rounds lie on the new scale, and whether the design does as well. REQUIRE rescaling().
  bool rescaled_rounds() const { return observations_.mapped(); }
  bool rescaled_design() const { return rescaling_->ready; }
  /// REQUIRES rescaled_design().
  void finish_rescaling();
  bool training_due() const override { return due_; }
  void prepare_training(std::vector<TrainJob>& jobs) override;
  void finish_training() override;
  bool retain(const Retention& retention) override;

  std::size_t memory() const override;
  std::vector<std::string> notes() const override;
  void save(Writer& out) const override;
  void load(Reader& in) override;

 private:
  /// Throws ContractError for a context whose tangent features are more than a T holds: in the design they
  /// would end all widths.
  void check_room(const Slice& context);
  void count_residual(const Finished& round);
  void bound();
  void weigh_widths();
  double noise() const;
  void average();
  void design_anew();
  /// Whether there are too many rounds to be scaled anew in one call.
  bool in_parts() const { return observations_.history().size() > settings_.standardise.at_once; }
  bool begin_rescaling();
  void go_on_rescaling(std::size_t rounds);
  void rescale_from_start();
  void load_rescaling(Reader& in);
  bool design_follows() const {
    return grows_afterwards() && (settings_.refresh || known_.posterior().has_basis());
  }
  bool schedule_asks() const;
  bool grows_afterwards() const {
    return settings_.design == Design::rewarded && settings_.grow == Grow::after_training;
  }
  double log_det() const { return schedule_.needs_log_det() ? known_.posterior().log_det() : 0; }
  void settle(std::span<const Finished> rounds);
  void follow(std::span<const Finished> rounds);
  void restart();

  NeuralSettings settings_;
  NeuralPredictor<T> known_;
  std::optional<Network<T>> trained_;  // with averaging: what is trained, while known_ holds the average
  Observations<T> observations_;
  FitState<T> state_;
  Schedule schedule_;
  bool due_ = false;
  bool rescaled_ = false;     // by the training that is due
  bool forgot_ = false;       // rounds that U still counts: the training that is due makes it anew
  bool behind_ = false;       // U lacks rounds, or counts such as are gone
  struct Rescaling {
    // On the new scale, as far as `walk` has come; null: it does not follow the scale.
    std::unique_ptr<Posterior<T>> design;
    RowWalk walk;
    bool ready = false;
  };
  std::unique_ptr<Rescaling> rescaling_;
  std::uint64_t rescalings_begun_ = 0;
  RoundList waiting_;         // for the training that is due, to grow U after it
  double residual_ = 0;       // mean squared residual of recent rounds, in the rewards' unit
  std::size_t observed_ = 0;  // finished rounds, over all restarts
  std::size_t epoch_ = 1;     // 2^s: the doubling trick restarts before round 2^(s+1)
  DesignGrowth<T> growth_;
  Scratch scratch_;
};

}  // namespace neuralts
