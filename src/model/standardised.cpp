#include "model/standardised.hpp"

#include <algorithm>
#include <cmath>

#include "model/kernel.hpp"
#include "model/linear.hpp"

namespace neuralts {

namespace {

double weight_of(std::span<const Finished> rounds) {
  double sum = 0;
  for (const Finished& round : rounds) sum += round.weight;
  return sum;
}

// The scale is fitted when the rounds' weight reaches one of these steps, and to just that weight of them: ...,
// 1/4, 1/2, 1, 2, 3, 5, 8, 12, ..., each half as much again. Steps that do not depend on the rounds let two of
// weight 1 and one of weight 2 meet the same ones.
double scale_step(double weight) {
  if (weight < 1) return weight > 0 ? std::ldexp(1.0, std::ilogb(weight)) : 0;
  double step = 1;
  for (double next = 2; next <= weight && next > step; next = std::ceil(1.5 * next)) step = next;
  return step;
}

}  // namespace

template <class Inner>
void StandardisedPredictor<Inner>::map(std::span<const double> x, double* out) const {
  scaling_.map(x, out);
  if (settings_.intercept > 0) out[x.size()] = settings_.intercept;
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
void StandardisedJointPredictor<Inner>::predict_joint(const Contexts& contexts, Scratch& scratch,
                                                      std::span<double> mean, std::span<double> width,
                                                      std::span<double> factors) const {
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

// So many at once are believed like one by one.
template <class Inner>
double StandardisedBelief<Inner>::last_fit(std::uint64_t count, double total,
                                           std::span<const Finished> more) const {
  if (count >= settings_.settled) return 0;
  const auto left = static_cast<std::size_t>(std::min<std::uint64_t>(settings_.settled - count, more.size()));
  const double grown = total + weight_of(more.first(left));
  if (count + left == settings_.settled) return grown;
  return scale_step(grown) > scale_step(total) ? scale_step(grown) : 0;
}

// What can fail comes before anything has changed, but for kept_, which gives back what it took.
template <class Inner>
void StandardisedBelief<Inner>::observe(std::span<const Finished> rounds) {
  if (rounds.empty()) return;
  const bool keeps = !settled() || settings_.remembers > 0;
  const double weight = discounted_ ? 0 : last_fit(count_, total_, rounds);
  if (keeps) kept_.append(rounds);
  try {
    if (weight > 0) {
      known_ = fitted_to(kept_.rounds(), weight);
    } else {
      teach(known_, rounds);
    }
  } catch (...) {
    if (keeps) kept_.drop_last(rounds.size());
    throw;
  }
  for (const Finished& round : rounds)
    if (round.weight > 0) arm_means_.count(round.context.block, round.reward, round.weight);
  known_.set_width_factor(width_factor());
  count_ += rounds.size();
  total_ += weight_of(rounds);
  if (settled() && kept_.size() > settings_.remembers + settings_.remembers / 4)
    kept_.keep_last(settings_.remembers);
}

template <class Inner>
bool StandardisedBelief<Inner>::retain(const Retention& retention) {
  if (settings_.remembers == 0) return false;
  auto rounds = kept_.rounds();
  const std::size_t count = std::min({rounds.size(), retention.last, settings_.remembers});
  rounds.erase(rounds.begin(), rounds.end() - static_cast<std::ptrdiff_t>(count));
  const double total = weight_of(rounds);
  for (std::size_t i = 0; retention.discount < 1 && i < count; ++i)
    rounds[i].weight *= std::pow(retention.discount, static_cast<double>(count - 1 - i));
  if (count > 0) known_ = fitted_to(rounds, last_fit(0, 0, rounds));
  known_.set_width_factor(width_factor());
  kept_.keep_last(count);
  count_ = count;
  total_ = total;
  discounted_ = retention.discount < 1;
  return true;
}

template <class Inner>
double StandardisedBelief<Inner>::width_factor() const {
  return settings_.standardise.rewards && known_.scaling().varies() ? 1 + arm_means_.widening() : 1;
}

template <class Inner>
auto StandardisedBelief<Inner>::fitted_to(std::span<const Finished> rounds, double weight) const -> Known {
  Known fitted(settings_, blank_);
  SpreadSample column;
  fit_scaling(settings_.standardise, settings_.shape.length, rounds, weight, column, fitted.scaling());
  teach(fitted, rounds);
  return fitted;
}

template <class Inner>
void StandardisedBelief<Inner>::teach(Known& known, std::span<const Finished> rounds) {
  const std::size_t length = known.settings().inner_shape().length;
  std::vector<double> x(rounds.size() * length);
  std::vector<Finished> mapped;
  mapped.reserve(rounds.size());
  for (const Finished& round : rounds) {
    const std::span row = std::span(x).subspan(mapped.size() * length, length);
    known.map(round.context.values, row.data());
    mapped.push_back({{row, round.context.block}, known.scaling().map_reward(round.reward), round.weight});
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
  out.value<std::uint64_t>(0);  // was the rounds behind the scale: their weights tell
  out.value<std::uint8_t>(discounted_);
}

template <class Inner>
void StandardisedBelief<Inner>::load(Reader& in) {
  known_.load(in);
  kept_.load(in, settings_.shape);
  arm_means_.load(in);
  count_ = in.value<std::uint64_t>();
  in.value<std::uint64_t>();
  total_ = settled() ? 0 : weight_of(kept_.rounds());
  discounted_ = in.value<std::uint8_t>() != 0;
}

template class StandardisedPredictor<LinearBelief>;
template class StandardisedJointPredictor<LinearBelief>;
template class StandardisedBelief<LinearBelief>;
template class StandardisedPredictor<KernelBelief>;
template class StandardisedBelief<KernelBelief>;

}  // namespace neuralts
