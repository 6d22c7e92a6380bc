// The whole of U: dual while rounds are few, primal once that is smaller, and where neither fits the budget, bounded.
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
      : settings_(other.settings_), may_bound_(other.may_bound_), stage_(other.stage_), switched_(other.switched_), form_(other.form_->clone()) {}

  void variance(const Features<T>& features, Scratch& scratch, std::span<double> out) const override {
    form_->variance(features, scratch, out);
  }
  void grow(const Features<T>& features) override {
    form_->grow(features);
    if (stage_ == Stage::dual) reconsider();
  }
  double log_det() const override { return form_->log_det(); }
  std::size_t memory() const override { return form_->memory(); }
  std::string note() const override {
    if (stage_ != Stage::bounded) return {};
    return "the exact posterior has reached its budget of " + std::to_string(settings_.budget >> 20) + " MiB after " + std::to_string(switched_) +
           " rounds and goes on as a bounded approximation (" + std::to_string((switched_ + thinning - 1) / thinning) +
           " rounds as a basis); raise `budget` to stay exact";
  }
  void restart(double lambda) override {
    settings_.lambda = lambda;
    stage_ = Stage::dual;
    form_ = std::make_unique<DualPosterior<T, F>>(settings_);
  }
  std::unique_ptr<Posterior<T>> clone() const override { return std::make_unique<ExactPosterior>(*this); }
  void save(Writer& out) const override {
    out.value(stage_);
    out.value<std::uint64_t>(switched_);
    out.value(settings_.lambda);
    form_->save(out);
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
  }

 private:
  // Deciding and learning a round, the dual reads t^2 / 2 numbers twice; the primal form reads about as many as it holds.
  void reconsider() {
    const FeatureStore<T>& past = static_cast<const DualPosterior<T, F>&>(*form_).store();
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
