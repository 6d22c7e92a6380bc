#include "model/standardised.hpp"

#include <algorithm>
#include <cmath>

#include "model/kernel.hpp"
#include "model/linear.hpp"

namespace neuralts {

template <class Inner>
void StandardisedPredictor<Inner>::map(std::span<const double> x, double* out) const {
  scaling_.map(x, out);
  if (settings_.intercept) out[x.size()] = 1;
}

template <class Inner>
Contexts StandardisedPredictor<Inner>::map(const Contexts& contexts, Scratch& scratch) const {
  const std::size_t arms = contexts.arms(), rows = contexts.shared() ? 1 : arms;
  const std::size_t length = settings_.inner_shape().length;
  const auto x = scratch.take<double>(rows * length);
  for (std::size_t row = 0; row < rows; ++row) map(contexts[row].values, x.data() + row * length);
  if (!contexts.shared()) return Contexts::per_arm(x, arms);
  const auto blocks = scratch.take<std::uint32_t>(arms);
  for (std::size_t k = 0; k < arms; ++k) blocks[k] = static_cast<std::uint32_t>(contexts[k].block);
  return Contexts::disjoint(x, std::span<const std::uint32_t>(blocks));
}

template <class Inner>
void StandardisedPredictor<Inner>::in_rewards_unit(std::span<double> mean, std::span<double> width) const {
  for (double& value : mean) value = scaling_.mean(value);
  for (double& value : width) value *= width_unit();
}

template <class Inner>
void StandardisedPredictor<Inner>::predict(const Contexts& contexts, Scratch& scratch, std::span<double> mean,
                                           std::span<double> width) const {
  inner_.predict(map(contexts, scratch), scratch, mean, width);
  in_rewards_unit(mean, width);
}

template <class Inner>
void StandardisedJointPredictor<Inner>::predict_joint(const Contexts& contexts, Scratch& scratch, std::span<double> mean,
                                                      std::span<double> width, std::span<double> factors) const {
  this->inner().predict_joint(StandardisedPredictor<Inner>::map(contexts, scratch), scratch, mean, width, factors);
  this->in_rewards_unit(mean, width);
  for (double& value : factors) value *= this->width_unit();
}

template <class Inner>
void StandardisedPredictor<Inner>::save(Writer& out) const {
  scaling_.save(out);
  inner_.save(out);
  out.value(width_factor_);
}

template <class Inner>
void StandardisedPredictor<Inner>::load(Reader& in) {
  scaling_.load(in);
  inner_.load(in);
  width_factor_ = in.value<double>();
}

template <class Inner>
StandardisedBelief<Inner>::StandardisedBelief(const StandardisedSettings& settings, const Inner& inner)
    : settings_(settings), blank_(inner), known_(settings, inner), arm_means_(settings.shape.blocks) {
  if (settings.standardise.inputs) known_.scaling().hide_inputs();
}

template <class Inner>
std::shared_ptr<const Predictor> StandardisedBelief<Inner>::read_predictor(Reader& in) const {
  auto read = std::make_shared<Known>(settings_, blank_);
  read->load(in);
  return read;
}

// The round at which the scale, fitted last at `fitted` of `count`, is fitted last when `more` come one by one; 0: at none. So many at
// once are believed like one by one.
template <class Inner>
std::uint64_t StandardisedBelief<Inner>::last_fit(std::uint64_t count, std::uint64_t fitted, std::size_t more) const {
  std::uint64_t last = 0;
  for (const std::uint64_t end = std::min<std::uint64_t>(count + more, settings_.settled); count < end;) {
    ++count;
    if (2 * count >= 3 * std::max(last, fitted) || count == settings_.settled) last = count;
  }
  return last;
}

// What can fail comes before anything has changed, but for kept_, which gives back what it took.
template <class Inner>
void StandardisedBelief<Inner>::observe(std::span<const Finished> rounds) {
  if (rounds.empty()) return;
  const bool keeps = !settled() || settings_.remembers > 0;
  const std::uint64_t last = discounted_ ? 0 : last_fit(count_, fitted_, rounds.size());
  if (keeps) kept_.append(rounds);
  try {
    if (last > 0) {
      known_ = fitted_to(kept_.rounds(), last, 1);
    } else {
      teach(known_, rounds, 1);
    }
  } catch (...) {
    if (keeps) kept_.drop_last(rounds.size());
    throw;
  }
  for (const Finished& round : rounds)
    if (round.weight > 0) arm_means_.count(round.context.block, round.reward);
  known_.set_width_factor(width_factor());
  count_ += rounds.size();
  if (last > 0) fitted_ = last;
  if (settled() && kept_.size() > settings_.remembers + settings_.remembers / 4) kept_.keep_last(settings_.remembers);
}

template <class Inner>
bool StandardisedBelief<Inner>::retain(const Retention& retention) {
  if (settings_.remembers == 0) return false;
  const auto all = kept_.rounds();
  const std::size_t count = std::min({all.size(), retention.last, settings_.remembers});
  const std::uint64_t fitted = last_fit(0, 0, count);
  if (count > 0) known_ = fitted_to(std::span(all).last(count), fitted, retention.discount);
  known_.set_width_factor(width_factor());
  kept_.keep_last(count);
  count_ = count;
  fitted_ = fitted;
  discounted_ = retention.discount < 1;
  return true;
}

template <class Inner>
double StandardisedBelief<Inner>::width_factor() const {
  return settings_.standardise.rewards && known_.scaling().varies() ? 1 + arm_means_.wonder() : 1;
}

template <class Inner>
auto StandardisedBelief<Inner>::fitted_to(std::span<const Finished> rounds, std::size_t first, double discount) const -> Known {
  Known fitted(settings_, blank_);
  fit_scaling(settings_.standardise, settings_.shape.length, rounds.first(first), fitted.scaling());
  teach(fitted, rounds, discount);
  return fitted;
}

template <class Inner>
void StandardisedBelief<Inner>::teach(Known& known, std::span<const Finished> rounds, double discount) {
  const std::size_t length = known.settings().inner_shape().length;
  std::vector<double> x(rounds.size() * length);
  std::vector<Finished> mapped;
  mapped.reserve(rounds.size());
  for (const Finished& round : rounds) {
    const std::size_t i = mapped.size();
    const std::span row = std::span(x).subspan(i * length, length);
    const double aged = discount < 1 ? std::pow(discount, static_cast<double>(rounds.size() - 1 - i)) : 1;
    known.map(round.context.values, row.data());
    mapped.push_back({{row, round.context.block}, known.scaling().map_reward(round.reward), aged * round.weight});
  }
  known.inner().observe(mapped);
}

template <class Inner>
std::size_t StandardisedBelief<Inner>::memory() const {
  return known_.inner().memory() + kept_.memory();
}

template <class Inner>
void StandardisedBelief<Inner>::save(Writer& out) const {
  known_.save(out);
  kept_.save(out);
  arm_means_.save(out);
  out.value(count_);
  out.value(fitted_);
  out.value<std::uint8_t>(discounted_);
}

template <class Inner>
void StandardisedBelief<Inner>::load(Reader& in) {
  known_.load(in);
  kept_.load(in, settings_.shape);
  arm_means_.load(in);
  count_ = in.value<std::uint64_t>();
  fitted_ = in.value<std::uint64_t>();
  discounted_ = in.value<std::uint8_t>() != 0;
}

template class StandardisedPredictor<LinearBelief>;
template class StandardisedJointPredictor<LinearBelief>;
template class StandardisedBelief<LinearBelief>;
template class StandardisedPredictor<KernelBelief>;
template class StandardisedBelief<KernelBelief>;

}  // namespace neuralts
