// The whole of U: dual while rounds are few, primal once that is smaller, and where neither fits the budget,
// bounded. Beside it, where decisions may be bounded by their work, a cheap form that decisions between too
// many arms turn to.
#include <cmath>

#include "model/exact_stages.hpp"

namespace neuralts {

namespace {

constexpr std::size_t thinning = 4;  // the bounded form keeps every fourth round as its basis

enum class Stage : std::uint8_t { dual, primal, bounded };

template <class T, class F>
class ExactPosterior final : public Posterior<T> {
 public:
  ExactPosterior(const PosteriorSettings& settings, bool bounded)
      : settings_(settings), may_bound_(bounded), form_(std::make_unique<DualPosterior<T, F>>(settings)) {}
  ExactPosterior(const ExactPosterior& other)
      : settings_(other.settings_), may_bound_(other.may_bound_), stage_(other.stage_), switched_(other.switched_),
        form_(other.form_->clone()), cheap_(other.cheap_ ? other.cheap_->clone() : nullptr) {}

  void variance(const Features<T>& features, Scratch& scratch, std::span<double> out) const override {
    form_->variance(features, scratch, out);
  }
  const Posterior<T>& form_for(std::size_t arms) const override {
    if (cheap_ && static_cast<double>(arms) * cost() > settings_.work) return *cheap_;
    return *this;
  }
  void grow(const Features<T>& features) override {
    if (stage_ == Stage::dual) prepare_cheap(features.batch.n);
    form_->grow(features);
    if (cheap_) cheap_->grow(features);
    if (stage_ == Stage::dual) reconsider();
  }
  bool has_basis() const override { return stage_ == Stage::bounded; }
  double log_det() const override { return form_->log_det(); }
  std::size_t memory() const override { return form_->memory() + (cheap_ ? cheap_->memory() : 0); }
  std::string note() const override {
    if (stage_ != Stage::bounded) return work_note();
    return work_note() + "the exact posterior has reached its budget of " +
           std::to_string(settings_.budget >> 20) + " MiB after " + std::to_string(switched_) +
           " rounds and goes on as a bounded approximation (" +
           std::to_string((switched_ + thinning - 1) / thinning) +
           " rounds as a basis); raise `budget` to stay exact";
  }
  void restart(double lambda) override {
    settings_.lambda = lambda;
    stage_ = Stage::dual;
    form_ = std::make_unique<DualPosterior<T, F>>(settings_);
    cheap_.reset();
  }
  std::unique_ptr<Posterior<T>> clone() const override { return std::make_unique<ExactPosterior>(*this); }
  void save(Writer& out) const override {
    out.value(stage_);
    out.value<std::uint64_t>(switched_);
    out.value(settings_.lambda);
    form_->save(out);
    if (!bounds_work()) return;
    out.value<std::uint8_t>(cheap_ != nullptr);
    if (cheap_) cheap_->save(out);
  }
  void load(Reader& in) override {
    const auto stage = in.value<Stage>();
    switched_ = in.value<std::uint64_t>();
    settings_.lambda = in.value<double>();
    switch (stage) {
      case Stage::dual: form_ = std::make_unique<DualPosterior<T, F>>(settings_); break;
      case Stage::primal: form_ = make_primal_posterior<T, F>(settings_, FeatureStore<T>(settings_.shape)); break;
      case Stage::bounded: form_ = make_empty_bounded_posterior<T, F>(settings_); break;
      default: in.fail();
    }
    stage_ = stage;
    form_->load(in);
    cheap_.reset();
    if (!bounds_work() || in.value<std::uint8_t>() == 0) return;
    cheap_ = make_last_layer_posterior<T>(settings_);
    cheap_->load(in);
  }

 private:
  bool bounds_work() const { return may_bound_ && settings_.work > 0; }

  // Multiplications an arm costs now.
  double cost() const {
    if (stage_ == Stage::dual) return dual_cost(dual().size());
    if (stage_ == Stage::primal)
      return static_cast<double>(primal_size(settings_.shape)) /
             static_cast<double>(settings_.shape.input.blocks);
    const std::size_t rank = (switched_ + thinning - 1) / thinning;
    return dual_cost(rank) + static_cast<double>(rank * rank) / 2;
  }
  double dual_cost(std::size_t rounds) const {
    const double t = static_cast<double>(rounds);
    return t * static_cast<double>(settings_.shape.input.length +
                                   2 * settings_.shape.hidden() * settings_.shape.units) +
           t * t / 2;
  }

  // Arms with numbers of their own may be any number; arms that are blocks are counted. The rounds so far are
  // taken in once.
  void prepare_cheap(std::size_t more) {
    if (cheap_ || !bounds_work()) return;
    const std::size_t blocks = settings_.shape.input.blocks;
    if (blocks > 1 && static_cast<double>(blocks) * dual_cost(dual().size() + more) <= settings_.work) return;
    auto cheap = make_last_layer_posterior<T>(settings_);
    std::vector<T> buffer;
    std::uint32_t block = 0;
    for (std::size_t i = 0; i < dual().size(); ++i) cheap->grow(dual().get(i, buffer, block));
    cheap_ = std::move(cheap);
  }

  // From how many arms on the cheap form decides, once that is a number one may meet.
  std::string work_note() const {
    constexpr double worth_saying = 1000;
    if (!cheap_) return {};
    const double exact = std::floor(settings_.work / cost());
    const double met = settings_.shape.input.blocks > 1 ? static_cast<double>(settings_.shape.input.blocks)
                                                        : worth_saying;
    if (exact >= met) return {};
    return "with more than " + std::to_string(static_cast<std::size_t>(exact)) +
           " arms a decision's exact width would take more than `work`: those widths are exact in the last layer and diagonal below; "
           "raise `work` to stay exact. ";
  }

  const FeatureStore<T>& dual() const { return static_cast<const DualPosterior<T, F>&>(*form_).store(); }

  // Deciding and learning a round, the dual reads t^2 / 2 numbers twice; the primal form reads about as many as
  // it holds.
  void reconsider() {
    const FeatureStore<T>& past = dual();
    const std::size_t t = past.size(), primal = primal_size(settings_.shape);
    const bool primal_fits = !may_bound_ || primal * sizeof(F) <= settings_.budget;
    if (primal_fits && t * t >= primal) {
      become(Stage::primal, t, make_primal_posterior<T, F>(settings_, past));
    } else if (may_bound_ && form_->memory() > settings_.budget) {
      become(Stage::bounded, t, make_bounded_posterior<T, F>(settings_, past, thinning));
    }
  }
  void become(Stage stage, std::size_t rounds, std::unique_ptr<Posterior<T>> form) {
    stage_ = stage;
    switched_ = rounds;
    form_ = std::move(form);
  }

  PosteriorSettings settings_;
  bool may_bound_;
  Stage stage_ = Stage::dual;
  std::size_t switched_ = 0;  // rounds at which the dual was left
  std::unique_ptr<Posterior<T>> form_;
  std::unique_ptr<Posterior<T>> cheap_;  // null: no decision needs it yet
};

}  // namespace

template <class T>
std::unique_ptr<Posterior<T>> make_exact_posterior(const PosteriorSettings& settings, bool bounded) {
  if (settings.double_factor) return std::make_unique<ExactPosterior<T, double>>(settings, bounded);
  return std::make_unique<ExactPosterior<T, T>>(settings, bounded);
}

template std::unique_ptr<Posterior<float>> make_exact_posterior<float>(const PosteriorSettings&, bool);
template std::unique_ptr<Posterior<double>> make_exact_posterior<double>(const PosteriorSettings&, bool);

}  // namespace neuralts
