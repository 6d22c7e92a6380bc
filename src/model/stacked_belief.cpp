#include "model/stacked_belief.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>

#include "math/simd.hpp"

namespace neuralts {

namespace {

constexpr double path_draw = 0.4;      // nu_l
constexpr double constant_draw = 0.7;  // nu_c; arms that contexts do not move are tried by the draw alone
constexpr double tangent_draw = 0.08;  // nu_t
constexpr double doubt_draw = 0.5;     // of the forecasts' variance
constexpr double memory_rounds = 300;  // of the noise
constexpr double least_noise = 0.005;  // share of the rewards' variance
constexpr double imagined_noise = 10;  // rounds in which a path knew nothing
constexpr double largest_error = 10;   // in standard deviations
constexpr double usual_rounds = 100;   // rounds that tell what is usually unknown of a context that is played
constexpr double rarity_draw = 4;      // of what is more unknown than usual, by its logarithm
constexpr double least_unknown = 1e-6;
constexpr std::size_t rescaled_a_round = 128;  // rounds that paths made anew take in for every one that comes
constexpr double worth_a_curve = 0.1;  // share of curve and network together
// Multiplications of a decision's curves; between more arms the line's width stands for theirs.
constexpr double affordable_curves = 1e7;

template <class T>
std::shared_ptr<const NeuralPredictor<T>> not_owned(const NeuralPredictor<T>& network) {
  return {std::shared_ptr<void>(), &network};
}

}  // namespace

// The line stands for the network as well, and for the constant where contexts might matter after all; where
// contexts share their weights, what curve and network may hide is told by the curve.
template <class T>
auto StackedPredictor<T>::voice(std::size_t path, Asked asked) const -> Voice {
  const bool all = asked == Asked::all;
  const double straight = share_of(line), bent = share_of(curve) + shares_.back();
  const bool curved = all && shared_weights() && paths_[curve].affordable() && bent > worth_a_curve;
  if (path == curve)
    return {
        .draws = all ? share_of(curve) : 0, .left = all ? share_of(curve) : 0, .unknown = curved ? bent : 0};
  const double draws = straight + (all ? shares_.back() : bent);
  return {.draws = draws,
          .left = draws + shares_.front(),
          .unknown = !shared_weights() ? 0
                     : curved          ? straight
                                       : 1};
}

// |phi|^2 of the line
template <class T>
double StackedPredictor<T>::size_of(const T* x) const {
  return 1 + static_cast<double>(math::dot(network_->network().shape().input.length, x, x));
}

template <class T>
void StackedPredictor<T>::ask_paths(const Batch<T>& batch, Asked asked, Scratch& scratch, Group& group) const {
  const std::size_t block = batch.blocks[group.first];
  const auto context = [&](std::size_t k) { return batch.x + (group.first + k) * batch.ldx; };
  group.left.fill(0);
  group.unknown.fill(0);
  group.drawn.fill(0);
  for (std::size_t i = 0; i < paths; ++i) {
    if (!paths_[i].affordable()) continue;
    const std::size_t mark = scratch.mark(), length = paths_[i].length();
    const auto phi = scratch.take<double>(group.count * length), work = scratch.take<double>(group.count * length);
    for (std::size_t k = 0; k < group.count; ++k) {
      paths_[i].features(context(k), phi.subspan(k * length, length));
      group.forecasts[k][i + 1] = bounded(paths_[i].mean(phi.subspan(k * length, length), block));
    }
    const Voice has = voice(i, asked);
    if (asked != Asked::mean && has.left + has.unknown > 0) {
      std::array<double, together_max> left;
      paths_[i].left(phi, block, work, std::span(left).first(group.count));
      for (std::size_t k = 0; k < group.count; ++k) {
        group.left[k] += has.left * left[k];
        group.unknown[k] += has.unknown * left[k];
        group.drawn[k] += has.draws * left[k];
      }
    }
    scratch.rewind(mark);
  }
}

template <class T>
double StackedPredictor<T>::unknown(const Batch<T>& one, Scratch& scratch) const {
  Group group;
  group.count = 1;
  ask_paths(one, Asked::all, scratch, group);
  return group.unknown[0];
}

// Squared. Of contexts that share their weights one is new if less is known of it than of those that are
// played. It grows with the logarithm of how much less: what is played gets known, and an action given up after
// one bad reward would never be tried again.
template <class T>
double StackedPredictor<T>::novelty(std::size_t block, double left, double unknown) const {
  if (shared_weights()) {
    const double rarity = std::log(std::max(1.0, unknown / std::max(usually_unknown_, least_unknown)));
    return left * left + std::max(0.0, unknown - usually_unknown_) * (1 + rarity_draw * rarity);
  }
  const double of_arm = 1 / (1 + static_cast<double>(paths_[line].plays(block)));
  return of_arm * of_arm;
}

template <class T>
double StackedPredictor<T>::bounded(double forecast) const {
  const bool seen = worst_reward_ < std::numeric_limits<double>::infinity();
  return seen ? std::max(forecast, static_cast<double>(network_->scaling().map_reward(worst_reward_))) : forecast;
}

template <class T>
double StackedPredictor<T>::constant_forecast(std::size_t block) const {
  return shared_weights() || !paths_[line].affordable() ? 0 : bounded(constant_.mean(block));
}

template <class T>
double StackedPredictor<T>::doubt(const Stacking::Numbers& forecasts) const {
  double mean = 0, square = 0;
  for (std::size_t i = 0; i < forecasts.size(); ++i) mean += open_[i] * forecasts[i];
  for (std::size_t i = 0; i < forecasts.size(); ++i)
    square += open_[i] * (forecasts[i] - mean) * (forecasts[i] - mean);
  return doubt_draw * openness_ * square;
}

template <class T>
double StackedPredictor<T>::width_of(std::size_t block, const T* x, double drawn, double novelty,
                                     const Stacking::Numbers& forecasts, double tangent) const {
  const double sd = network_->scaling().width(1);
  const double of_constant = shares_.front() > 0
                                 ? constant_draw * constant_draw * shares_.front() * constant_.left(block)
                                 : 0;
  const double believed = size_of(x) * (path_draw * path_draw * drawn + novelty) + of_constant + doubt(forecasts);
  const double curved = shares_.back() * tangent_draw * tangent;
  return std::sqrt(sd * sd * believed + curved * curved);
}

// A bonus that all arms have alike decides nothing for a rule that does not draw: it goes by the square of what
// is left.
template <class T>
void StackedPredictor<T>::add_wonder(std::span<const double> left, std::span<double> width) const {
  if (!(wonder_ > 0) || width.empty()) return;
  const double full = network_->scaling().width(wonder_), most = *std::max_element(left.begin(), left.end());
  for (std::size_t k = 0; k < width.size(); ++k) {
    const double of_most = most > 0 ? left[k] / most : 1;
    width[k] = std::hypot(width[k], full * of_most * of_most);
  }
}

template <class T>
void StackedPredictor<T>::predict(const Contexts& contexts, Scratch& scratch, std::span<double> mean,
                                  std::span<double> width) const {
  const Scaling<T>& scaling = network_->scaling();
  const Batch<T> batch = scaling.map(contexts, scratch);
  network_->predict(contexts, batch, scratch, mean, width);
  const double sd = scaling.width(1), level = scaling.mean(0);
  const double length = static_cast<double>(paths_[curve].length()),
               work = static_cast<double>(batch.n) * length * length / 2;
  const Asked asked = width.empty() ? Asked::mean : work > affordable_curves ? Asked::line_width : Asked::all;
  const auto left = scratch.take<double>(width.size());
  Group group;
  for (; group.first < batch.n; group.first += group.count) {
    const std::size_t first = group.first, block = batch.blocks[first],
                      end = std::min(batch.n, first + together_max);
    const double says_constant = constant_forecast(block);
    for (group.count = 1; first + group.count < end && batch.blocks[first + group.count] == block; ) ++group.count;
    for (std::size_t k = 0; k < group.count; ++k)
      group.forecasts[k] = {says_constant, 0, 0, bounded((mean[first + k] - level) / sd)};
    ask_paths(batch, asked, scratch, group);
    for (std::size_t k = 0; k < group.count; ++k) {
      const Stacking::Numbers& forecasts = group.forecasts[k];
      mean[first + k] = scaling.mean(std::inner_product(shares_.begin(), shares_.end(), forecasts.begin(), 0.0));
      if (width.empty()) continue;
      left[first + k] = group.left[k];
      double& tangent = width[first + k];
      tangent = width_of(block, batch.x + (first + k) * batch.ldx, group.drawn[k],
                         novelty(block, group.left[k], group.unknown[k]), forecasts, tangent);
    }
  }
  add_wonder(left, width);
}

template <class T>
void StackedPredictor<T>::save(Writer& out) const {
  network_->save(out);
  for (const RidgePath& path : paths_) path.save(out);
  constant_.save(out);
  for (const auto* list : {&shares_, &open_})
    for (const double share : *list) out.value(share);
  out.value(openness_);
  out.value(wonder_);
  out.value(worst_reward_);
  out.value(usually_unknown_);
}

template <class T>
std::shared_ptr<const Predictor> StackedPredictor<T>::prepared() const {
  auto copy = std::make_shared<StackedPredictor>(*this);
  auto network = std::make_shared<NeuralPredictor<T>>(*network_);
  network->prepare();
  copy->set_network(std::move(network));
  for (std::size_t i = 0; i < paths; ++i)
    if (shared_weights() && paths_[i].affordable()) copy->path(i).prepare();
  return copy;
}

template <class T>
void StackedPredictor<T>::load_rest(Reader& in) {
  for (RidgePath& path : paths_) path.load(in);
  constant_.load(in);
  for (auto* list : {&shares_, &open_})
    for (double& share : *list) share = in.value<double>();
  openness_ = in.value<double>();
  wonder_ = in.value<double>();
  worst_reward_ = in.value<double>();
  usually_unknown_ = in.value<double>();
}

template <class T>
StackedBelief<T>::StackedBelief(const NeuralSettings& settings)
    : ridge_every_(settings.ridge_every),
      network_(settings),
      known_(not_owned(network_.predictor()), settings.shape.input),
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
  read->load_rest(in);
  return read;
}

template <class T>
void StackedBelief<T>::observe(std::span<const Finished> rounds) {
  make_room(rounds);
  for (const Finished& round : rounds) {
    if (round.weight == 0) continue;
    if (fitted_ > 0) compare(round);
    arm_means_.count(round.context.block, round.reward, round.weight);
    known_.set_worst_reward(std::min(known_.worst_reward(), round.reward));
  }
  known_.set_shares(stacking_);
  known_.set_wonder(wonder());
  network_.take_in(rounds);
  if (network_.rescaling()) go_on_rescaling(rounds.size());
  else if (!network_.training_due() && catching_up_due()) catch_up();
  for (std::size_t i = 0; i < paths; ++i) known_.path(i).give_back(rounds);  // where rounds wait
}

template <class T>
void StackedBelief<T>::make_room(std::span<const Finished> rounds) {
  network_.make_room(rounds);
  try {
    for (std::size_t i = 0; i < paths; ++i) known_.path(i).make_room(rounds);
  } catch (...) {
    for (std::size_t i = 0; i < paths; ++i) known_.path(i).give_back(rounds);
    throw;
  }
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
  if (!network_.training_due()) catch_up();
  return true;
}

template <class T>
auto StackedBelief<T>::new_rescaled() const -> std::unique_ptr<Rescaled> {
  const Shape& shape = network_.observations().history().shape();
  return std::unique_ptr<Rescaled>(new Rescaled{StackedPredictor<T>::new_paths(shape),
                                                ConstantPath(shape.blocks), network_.rescalings_begun()});
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
      for (std::size_t i = 0; i < paths; ++i) rescaled_->paths[i].restart(noise(i, seen.scaling()));
    }
    for (RidgePath& path : rescaled_->paths)
      path.catch_up(seen.history(), seen.weights(), rescaled_a_round * rounds);
    rescaled_->constant.catch_up(seen.history(), seen.weights(), rescaled_a_round * rounds);
  } catch (const std::bad_alloc&) {
    return rescaled_.reset();
  }
  std::size_t waiting = rescaled_->constant.waiting(seen.history());
  for (const RidgePath& path : rescaled_->paths) waiting += path.waiting(seen.history());
  if (waiting == 0 && network_.rescaled_design()) finish_rescaling();
}

template <class T>
void StackedBelief<T>::finish_rescaling() {
  network_.finish_rescaling();
  known_.set_paths(std::move(rescaled_->paths));
  known_.constant() = std::move(rescaled_->constant);
  follow_scaling();
  rescaled_.reset();
  fitted_ = network_.observations().fitted();
}

template <class T>
std::size_t StackedBelief<T>::memory() const {
  std::size_t bytes = network_.memory() + known_.memory();
  if (rescaled_) bytes += rescaled_->constant.memory();
  if (rescaled_)
    for (const RidgePath& path : rescaled_->paths) bytes += path.memory();
  return bytes;
}

// One step ahead: all forecasts of a round that nobody has seen.
template <class T>
void StackedBelief<T>::compare(const Finished& round) {
  const Scaling<T>& scaling = network_.predictor().scaling();
  const auto block = static_cast<std::uint32_t>(round.context.block);
  const Contexts one = Contexts::disjoint(round.context.values, std::span(&block, 1));
  const auto standard = [&](double value) { return (value - scaling.mean(0)) / scaling.width(1); };
  const double reward = static_cast<double>(scaling.map_reward(round.reward)),
               counts = static_cast<double>(compared_ + 1);
  Stacking::Numbers forecasts{};
  scratch_.reset();  // from here to the first change is all that may take memory, the first time
  network_.predictor().predict(one, scratch_, std::span(&forecasts.back(), 1), {});
  forecasts.front() = known_.constant_forecast(block);
  forecasts.back() = known_.bounded(standard(forecasts.back()));
  const Batch<T> mapped = scaling.map(one, scratch_);
  for (std::size_t i = 0; i < paths; ++i) {
    if (!known_.path(i).affordable()) continue;
    const auto phi = scratch_.take<double>(known_.path(i).length());
    known_.path(i).features(mapped.x, phi);
    forecasts[i + 1] = known_.bounded(known_.path(i).mean(phi, block));
  }
  const bool samples = ridge_every_ > 1 && compared_ + 1 >= 32 * ridge_every_;  // it costs as much as a width
  if (known_.shared_weights() && (!samples || (compared_ + 1) % ridge_every_ == 0))
    known_.play(known_.unknown(mapped, scratch_), std::max(1 / counts, 1 / usual_rounds));
  ++compared_;
  for (std::size_t i = 0; i < paths; ++i) {
    if (!known_.path(i).affordable()) continue;
    const double error = std::clamp(reward - forecasts[i + 1], -largest_error, largest_error) * scaling.width(1);
    squared_error_[i] += std::max(1 / counts, 1 / memory_rounds) * (error * error - squared_error_[i]);
  }
  stacking_.count(forecasts, reward);
}

template <class T>
bool StackedBelief<T>::catching_up_due() const {
  const Observations<T>& seen = network_.observations();
  const std::size_t enough = std::clamp<std::size_t>(seen.seen() / 32, 1, ridge_every_);
  return seen.fitted() != fitted_ || known_.path(StackedPredictor<T>::line).waiting(seen.history()) >= enough;
}

// The paths go on from where they stand, or begin anew where the scaling has changed under them. Rounds for
// which there is no memory are taken in with the next ones.
template <class T>
void StackedBelief<T>::catch_up() {
  const Observations<T>& seen = network_.observations();
  const bool anew = seen.fitted() != fitted_;
  fitted_ = seen.fitted();
  if (anew) follow_scaling();
  for (std::size_t i = 0; anew && i < paths; ++i) known_.path(i).restart(noise(i, network_.predictor().scaling()));
  if (anew) known_.constant().restart();
  if (fitted_ == 0) return;
  known_.constant().catch_up(seen.history(), seen.weights());
  try {
    for (std::size_t i = 0; i < paths; ++i) known_.path(i).catch_up(seen.history(), seen.weights());
  } catch (const std::bad_alloc&) {
  }
}

template <class T>
void StackedBelief<T>::follow_scaling() {
  const Scaling<T>& scaling = network_.predictor().scaling();
  const double unit = scaling.width(1), level = scaling.mean(0);
  if (unit_ > 0) stacking_.rescale(unit_ / unit, (level_ - level) / unit);
  unit_ = unit, level_ = level;
  known_.set_shares(stacking_);
}

// The noise's share of the rewards' variance, as a path sees it.
template <class T>
double StackedBelief<T>::noise(std::size_t path, const Scaling<T>& scaling) const {
  const double sd = scaling.width(1), n = static_cast<double>(compared_);
  return std::clamp((squared_error_[path] / (sd * sd) * n + imagined_noise) / (n + imagined_noise),
                    least_noise, 1.0);
}

template <class T>
double StackedBelief<T>::wonder() const {
  return network_.predictor().scaling().varies() ? arm_means_.wonder() : 0;
}

template <class T>
void StackedBelief<T>::save(Writer& out) const {
  network_.save(out);
  for (std::size_t i = 0; i < paths; ++i) known_.path(i).save(out);
  known_.constant().save(out);
  stacking_.save(out);
  arm_means_.save(out);
  for (const double error : squared_error_) out.value(error);
  out.value(unit_);
  out.value(level_);
  out.value(compared_);
  out.value(fitted_);
  out.value(known_.worst_reward());
  out.value(known_.usually_unknown());
  if (!network_.rescaling()) return;
  out.value<std::uint8_t>(rescaled_ != nullptr);
  if (!rescaled_) return;
  for (const RidgePath& path : rescaled_->paths) path.save(out);
  rescaled_->constant.save(out);
}

template <class T>
void StackedBelief<T>::load(Reader& in) {
  network_.load(in);
  for (std::size_t i = 0; i < paths; ++i) known_.path(i).load(in);
  known_.constant().load(in);
  stacking_.load(in);
  arm_means_.load(in);
  for (double& error : squared_error_) error = in.value<double>();
  unit_ = in.value<double>();
  level_ = in.value<double>();
  compared_ = in.value<std::uint64_t>();
  fitted_ = in.value<std::uint64_t>();
  known_.set_worst_reward(in.value<double>());
  known_.set_usually_unknown(in.value<double>());
  known_.set_shares(stacking_);
  known_.set_wonder(wonder());
  rescaled_.reset();
  if (!network_.rescaling() || in.value<std::uint8_t>() == 0) return;
  rescaled_ = new_rescaled();
  for (RidgePath& path : rescaled_->paths) path.load(in);
  rescaled_->constant.load(in);
}

template class StackedPredictor<float>;
template class StackedPredictor<double>;
template class StackedBelief<float>;
template class StackedBelief<double>;

}  // namespace neuralts
