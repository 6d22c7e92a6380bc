#include "model/stacked_belief.hpp"

#include <algorithm>
#include <new>

namespace neuralts {

namespace {

constexpr double memory_rounds = 300;  // of the noise
constexpr double least_noise = 0.005;  // share of the rewards' variance
constexpr double imagined_noise = 10;  // rounds in which a path knew nothing
constexpr double largest_error = 10;   // in standard deviations
constexpr double usual_rounds = 100;   // rounds that tell what is usually unknown of a context that is played
constexpr std::size_t rescaled_a_round = 128;  // rounds that paths made anew take in for every one that comes

template <class T>
std::shared_ptr<const NeuralPredictor<T>> not_owned(const NeuralPredictor<T>& network) {
  return {std::shared_ptr<void>(), &network};
}

}  // namespace

template <class T>
StackedBelief<T>::StackedBelief(const NeuralSettings& settings)
    : ridge_(settings.ridge),
      network_(settings, settings.shape.input.blocks == 1),
      early_(settings.shape.input, {.speaks = settings.early, .intercept = settings.early_intercept}),
      known_(not_owned(network_.predictor()),
             ExactPaths(settings.shape.input, {.kernel = settings.kernel,
                                               .bends = settings.bends,
                                               .neighbours = settings.neighbours,
                                               .logistic = settings.logistic}),
             early_.expected()),
      stacking_(settings.shape.input.blocks == 1, known_.path(ExactPaths::curve).length()),
      parts_(stacking_),
      arm_means_(settings.shape.input.blocks) {}

template <class T>
std::shared_ptr<const Predictor> StackedBelief<T>::snapshot() const {
  auto copy = std::make_shared<StackedPredictor<T>>(known_);
  copy->set_network(std::make_shared<NeuralPredictor<T>>(network_.predictor()));
  return copy;
}

template <class T>
std::shared_ptr<const Predictor> StackedBelief<T>::read_predictor(Reader& in) const {
  auto read = std::make_shared<StackedPredictor<T>>(known_);
  read->set_network(std::static_pointer_cast<const NeuralPredictor<T>>(network_.read_predictor(in)));
  read->load_rest(early_, in);
  return read;
}

template <class T>
void StackedBelief<T>::offered(const Contexts& contexts) {
  if (!known_.shared_weights()) return;
  const bool told = known_.tells_common();
  known_.common().see(contexts);
  if (told != known_.tells_common()) believe();
}

template <class T>
void StackedBelief<T>::observe(std::span<const Finished> rounds) {
  make_room(rounds);
  beyond_.clear();
  for (const Finished& round : rounds) {
    beyond_.push_back(round.weight > 0 && fitted_ > 0 ? compare(round) : 0);
    if (round.weight == 0) continue;
    arm_means_.count(round.context.block, round.reward, round.weight);
    known_.set_worst_reward(std::min(known_.worst_reward(), round.reward));
  }
  believe();
  wonder();
  early_.take_in(rounds);
  hear_early();
  network_.take_in(rounds, beyond_);
  if (network_.rescaling()) go_on_rescaling(rounds.size());
  else if (!network_.training_due() && catching_up_due()) catch_up();
  known_.exact().give_back(rounds);  // where rounds wait
}

template <class T>
void StackedBelief<T>::make_room(std::span<const Finished> rounds) {
  beyond_.reserve(rounds.size());
  network_.make_room(rounds);
  early_.make_room(rounds);
  known_.exact().make_room(rounds);
}

template <class T>
void StackedBelief<T>::finish_training() {
  network_.finish_training();
  if (catching_up_due()) catch_up();
}

// The paths begin anew from what is left; how far each forecaster is believed stays.
template <class T>
bool StackedBelief<T>::retain(const Retention& retention) {
  if (!network_.retain(retention)) return false;
  fitted_ = 0;
  rescaled_.reset();
  early_.end();
  hear_early();
  if (!network_.training_due()) catch_up();
  return true;
}

template <class T>
auto StackedBelief<T>::new_rescaled() const -> std::unique_ptr<Rescaled> {
  return std::make_unique<Rescaled>(
      Rescaled{ExactPaths(network_.observations().history().shape(), known_.exact().speaking()),
               network_.rescalings_begun()});
}

// Rounds for which there is no memory are a reason to begin again.
template <class T>
void StackedBelief<T>::go_on_rescaling(std::size_t rounds) {
  const Observations<T>& seen = network_.observations();
  if (rescaled_ && rescaled_->begun != network_.rescalings_begun()) rescaled_.reset();
  if (!network_.rescaled_rounds()) return;
  try {
    if (!rescaled_) {
      rescaled_ = new_rescaled();
      restart(rescaled_->paths, seen.scaling());
    }
    rescaled_->paths.catch_up(seen.history(), seen.weights(), rescaled_a_round * rounds);
  } catch (const std::bad_alloc&) {
    return rescaled_.reset();
  }
  if (rescaled_->paths.up_to_date(seen.history()) && network_.rescaled_design()) finish_rescaling();
}

template <class T>
void StackedBelief<T>::finish_rescaling() {
  network_.finish_rescaling();
  known_.exact() = std::move(rescaled_->paths);
  follow_scaling();
  rescaled_.reset();
  fitted_ = network_.observations().fitted();
}

template <class T>
std::size_t StackedBelief<T>::memory() const {
  return network_.memory() + early_.memory() + known_.exact().memory() + (rescaled_ ? rescaled_->paths.memory() : 0);
}

// One step ahead: all forecasts of a round that nobody has seen.
template <class T>
double StackedBelief<T>::compare(const Finished& round) {
  const Scaling<T>& scaling = network_.predictor().scaling();
  const auto block = static_cast<std::uint32_t>(round.context.block);
  // Before rewards differ their unit is unknown, and with it what is said by the first one that does.
  const bool unit_known = scaling.rewards_vary();
  const double unit = unit_known ? scaling.width(1) : 0;
  const double reward = unit_known ? static_cast<double>(scaling.map_reward(round.reward)) : 0,
               counts = static_cast<double>(compared_ + 1);
  const bool ask_unknown = known_.shared_weights() && (compared_ + 1) % ridge_rounds(compared_ + 1) == 0;
  scratch_.reset();  // takes memory the first time, before anything has changed
  const Contexts asked = Contexts::disjoint(round.context.values, std::span(&block, 1));
  const auto said = known_.say(asked, ask_unknown, scratch_);
  const auto common = known_.say_common(asked, scratch_);
  const Stacking::Numbers apart = known_.apart(said.forecasts, common);
  if (ask_unknown) known_.play(said.unknown, std::max(1 / counts, 1 / usual_rounds));
  known_.sizes().meet(said.size);
  const double of_apart = known_.mixed(apart), error = reward - of_apart - known_.mixed_common(common);
  if (early_.speaks() && unit_known) {
    const double early = (early_.forecast(asked, scratch_) - scaling.mean(0)) / unit;
    early_.compare(reward - early, error);
  }
  if (known_.shared_curve() && unit_known) hopes_.count(apart[Stacking::curve] - of_apart, error);
  ++compared_;
  for (std::size_t i = 0; i < squared_error_.size(); ++i) {
    if (!known_.exact().speaks(static_cast<ExactPaths::Path>(i))) continue;
    const double missed = std::clamp(reward - said.forecasts[i + 1], -largest_error, largest_error) * unit;
    squared_error_[i] += std::max(1 / counts, 1 / memory_rounds) * (missed * missed - squared_error_[i]);
  }
  stacking_.count(said.forecasts, reward);
  if (!known_.tells_common()) return 0;
  parts_.count(common, apart, known_.weights(), reward);
  return unit * count_beyond(known_.mixed_common(common) - common[Stacking::line], reward - said.forecasts[Stacking::line]);
}

// What users give by no line is noise to the line, by which it would learn of items what is not there; and more than all of
// it where most depends on the user. So it learns what is left once that is taken off, as far as forecasts of it are right.
template <class T>
double StackedBelief<T>::count_beyond(double beyond, double missed) {
  const double bounded = std::clamp(beyond, -largest_error, largest_error), left = missed - bounded;
  beyond_gain_ = Stacking::keep * beyond_gain_ + missed * missed - left * left;
  return bounded;
}

template <class T>
bool StackedBelief<T>::catching_up_due() const {
  const Observations<T>& seen = network_.observations();
  return seen.fitted() != fitted_ ||
         known_.path(ExactPaths::line).waiting(seen.history()) >= ridge_rounds(seen.seen());
}

// The paths go on from where they stand, or begin anew where the scaling has changed under them. Rounds for
// which there is no memory are taken in with the next ones.
template <class T>
void StackedBelief<T>::catch_up() {
  const Observations<T>& seen = network_.observations();
  const bool anew = seen.fitted() != fitted_;
  fitted_ = seen.fitted();
  if (anew) follow_scaling();
  if (anew) restart(known_.exact(), network_.predictor().scaling());
  if (fitted_ == 0) return;
  try {
    known_.exact().catch_up(seen.history(), seen.weights());
  } catch (const std::bad_alloc&) {
  }
}

template <class T>
void StackedBelief<T>::follow_scaling() {
  const Scaling<T>& scaling = network_.predictor().scaling();
  const double unit = scaling.width(1), level = scaling.mean(0);
  if (unit_ > 0) {
    const double factor = unit_ / unit, shift = (level_ - level) / unit;
    stacking_.rescale(factor, shift);
    parts_.rescale(factor, shift);
    hopes_.rescale(factor);
    beyond_gain_ *= factor * factor;
  }
  unit_ = scaling.rewards_vary() ? unit : 0, level_ = level;
  believe();
}

template <class T>
void StackedBelief<T>::believe() {
  if (known_.tells_common()) parts_.believe();
  known_.believe(stacking_, hopes_, parts_);
}

template <class T>
void StackedBelief<T>::restart(ExactPaths& paths, const Scaling<T>& scaling) const {
  const bool told = known_.tells_common() && scaling.rewards_vary() && beyond_gain_ > 0;
  paths.restart(noises(scaling), told ? 1 / scaling.width(1) : 0);
}

template <class T>
ExactPaths::Noises StackedBelief<T>::noises(const Scaling<T>& scaling) const {
  const double sd = scaling.width(1), n = static_cast<double>(compared_);
  ExactPaths::Noises out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double share = (squared_error_[i] / (sd * sd) * n + imagined_noise) / (n + imagined_noise);
    out[i] = std::clamp(share, least_noise, 1.0);
  }
  return out;
}

// About all arms before contexts matter; about those that have always paid the same when they do.
// What arms' means have told is asked of all arms, and only as long as there is somebody to hear.
template <class T>
void StackedBelief<T>::hear_early() {
  known_.hear(early_, early_.speaks() ? arm_means_.untold() : 0);
}

template <class T>
void StackedBelief<T>::wonder() {
  const bool varies = network_.predictor().scaling().varies() && !known_.shared_weights();
  const double matter = varies ? stacking_.contexts_matter() : 0;
  known_.set_wonder(varies ? (1 - matter) * arm_means_.wonder() : 0);
  const std::span<double> of_arms = known_.wonder_of_arms();
  for (std::size_t arm = 0; arm < of_arms.size(); ++arm)
    of_arms[arm] = matter > 0 ? matter * arm_means_.wonder_of(arm) : 0;
}

// The last rounds of every block, as they are standardised today.
template <class T>
void StackedBelief<T>::meet_again() {
  const History<T>& history = network_.observations().history();
  known_.sizes() = {};
  std::size_t met = 1;
  for (std::size_t back = 1; met > 0 && known_.sizes().met() < ContextSizes::most; ++back) {
    met = 0;
    for (const auto& block : history.blocks()) {
      if (block.rows() < back) continue;
      known_.sizes().meet(known_.size_of(block.x.data() + (block.rows() - back) * history.shape().length));
      ++met;
    }
  }
}

template <class T>
void StackedBelief<T>::save(Writer& out) const {
  network_.save(out);
  known_.exact().save(out);
  stacking_.save(out);
  hopes_.save(out);
  arm_means_.save(out);
  arm_means_.save_largest(out);
  for (const double error : squared_error_) out.value(error);
  out.value(unit_);
  out.value(level_);
  out.value(compared_);
  out.value(fitted_);
  out.value(known_.worst_reward());
  out.value(known_.usually_unknown());
  known_.save_wonder(out);
  known_.common().save(out);
  parts_.save(out);
  out.value(beyond_gain_);
  early_.save(out);
  if (!network_.rescaling()) return;
  out.value<std::uint8_t>(rescaled_ != nullptr);
  if (!rescaled_) return;
  rescaled_->paths.save(out);
}

template <class T>
void StackedBelief<T>::load(Reader& in) {
  network_.load(in);
  known_.exact().load(in);
  stacking_.load(in);
  hopes_ = {};
  if (in.version() >= Hopes::first_version) hopes_.load(in);
  arm_means_.load(in);
  arm_means_.load_largest(in);
  for (std::size_t i = 0; i < squared_error_.size(); ++i)
    squared_error_[i] = Stacking::in_file(i + 1, in) ? in.value<double>() : 0;
  unit_ = in.value<double>();
  level_ = in.value<double>();
  compared_ = in.value<std::uint64_t>();
  fitted_ = in.value<std::uint64_t>();
  known_.set_worst_reward(in.value<double>());
  known_.set_usually_unknown(in.value<double>());
  if (in.version() >= ContextSizes::first_version) {
    known_.load_wonder(in);
  } else {
    meet_again();
    wonder();
  }
  known_.common() = {};
  if (in.version() >= CommonColumns::first_version) {
    known_.common().load(in, network_.observations().history().shape().length);
    parts_.load(in);
  }
  beyond_gain_ = in.version() >= History<T>::beyond_since ? in.value<double>() : 0;
  early_.load(in);
  hear_early();
  believe();
  rescaled_.reset();
  if (!network_.rescaling() || in.value<std::uint8_t>() == 0) return;
  rescaled_ = new_rescaled();
  rescaled_->paths.load(in);
}

template class StackedBelief<float>;
template class StackedBelief<double>;

}  // namespace neuralts
