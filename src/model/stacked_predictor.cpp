#include "model/stacked_predictor.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/simd.hpp"

namespace neuralts {

namespace {

constexpr double path_draw = 0.4;      // nu_l
// Where contexts of a decision have columns in common, most of what is unsure is unsure of all of them, and so is doubt.
constexpr double path_draw_of_parts = 0.2, doubt_draw_of_parts = 0.25;
constexpr double constant_draw = 0.7;  // nu_c; arms that contexts do not move are tried by the draw alone
constexpr double tangent_draw = 0.08;  // nu_t
constexpr double doubt_draw = 0.5;     // of the forecasts' variance
constexpr double hope_draw = 2, most_hope = 10;  // of the sixth power; in standard deviations
constexpr double time_for_an_arm = 100, few_arms = 10;  // rounds; for so many there is always time
constexpr double least_alike = 10;     // rounds
constexpr double edge = 20;            // power of the share of contexts that are smaller
constexpr double in_common = 0.98;     // of the width that all arms have early
constexpr double kept_early = 0.5;     // of what the others' widths differ by, where contexts share their weights
constexpr double worth_a_curve = 0.1;  // share of curve and network together
constexpr double worth_a_width = 0.02;  // share of the curve; below it the line's width stands for its own
// Multiplications of a decision's curves; between more arms the line's width stands for theirs.
constexpr double affordable_curves = 1e7;

}  // namespace

// The line stands for network, bends, neighbours and kernel as well, for a curve that is hardly heard, and for the constant where
// contexts might matter after all; where contexts share their weights, what curve and network may hide is told by the curve.
template <class T>
auto StackedPredictor<T>::voice(std::size_t ridge, Asked asked) const -> Voice {
  const bool all = asked == Asked::all && !exact_.kernel.speaks();
  const double straight = share_of(ExactPaths::line), curved = share_of(ExactPaths::curve),
               others = share_of(ExactPaths::bends) + share_of(ExactPaths::neighbours) + shares_.back(), bent = curved + others;
  const bool curve_draws = all && curved > worth_a_width, curve_tells = all && shared_curve() && bent > worth_a_curve;
  if (ridge == ExactPaths::bends) return {};
  if (ridge == ExactPaths::curve) {
    const double draws = curve_draws ? curved : 0;
    return {.draws = draws, .left = draws, .unknown = curve_tells ? bent : 0};
  }
  const double draws = straight + (curve_draws ? others : bent), unknown = curve_tells ? straight : 1;
  return {.draws = draws, .left = draws + shares_.front(), .unknown = shared_weights() ? unknown : 0};
}

template <class T>
void StackedPredictor<T>::believe(const Stacking& stacking, const Hopes& hopes, const PartStacking& parts) {
  const Stacking::Mixture mixture = stacking.mixture();
  openness_ = stacking.openness();
  weights_ = mixture.weights();
  open_ = mixture.open_shares;
  if (contexts_alike()) weights_ = open_ = {1, 0, 0, 0, 0, 0};
  parts_ = tells_common() ? parts.weights(weights_) : PartStacking::Weights{weights_, weights_};
  set_shares();
  fulfilled_ = hopes.fulfilled();
}

template <class T>
bool StackedPredictor<T>::contexts_alike() const {
  return constants_speak() && !network_->scaling().varies() && Stacking::rounds_at(openness_) >= least_alike;
}

template <class T>
void StackedPredictor<T>::set_shares() {
  constexpr double rounding = 1e-9;
  shares_ = weights_;
  const double followed = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  if (followed > 1 - rounding) return;
  for (double& share : shares_) share /= followed;
}

template <class T>
double StackedPredictor<T>::size_of(const T* x) const {
  return 1 + static_cast<double>(math::dot(network_->network().shape().input.length, x, x));
}

template <class T>
void StackedPredictor<T>::ask(const Batch<T>& batch, const double* network, Asked asked, Scratch& scratch,
                              Group& group) const {
  const Scaling<T>& scaling = network_->scaling();
  const double sd = scaling.width(1), level = scaling.mean(0),
               constant = constant_forecast(batch.blocks[group.first]);
  for (std::size_t k = 0; k < group.count; ++k)
    group.forecasts[k] = {constant, 0, 0, 0, 0, bounded((network[k] - level) / sd)};
  group.left.fill(0);
  group.unknown.fill(0);
  group.drawn.fill(0);
  for (std::size_t i = 0; i < ExactPaths::ridges; ++i)
    if (exact_.ridge[i].affordable()) ask_ridge(i, batch, asked, scratch, group);
  if (exact_.logistic.speaks()) ask_logistic(batch, group);
  if (exact_.kernel.speaks()) ask_kernel(batch, group);
}

template <class T>
void StackedPredictor<T>::ask_logistic(const Batch<T>& batch, Group& group) const {
  for (std::size_t k = 0; k < group.count; ++k)
    group.forecasts[k][Stacking::line] =
        exact_.logistic.mean(batch.x + (group.first + k) * batch.ldx, batch.blocks[group.first]);
}

template <class T>
void StackedPredictor<T>::ask_kernel(const Batch<T>& batch, Group& group) const {
  for (std::size_t k = 0; k < group.count; ++k)
    group.forecasts[k][Stacking::curve] =
        bounded(exact_.kernel.mean(batch.x + (group.first + k) * batch.ldx, batch.blocks[group.first]));
}

template <class T>
void StackedPredictor<T>::ask_neighbours(const Batch<T>& batch, Scratch& scratch, Group& group) const {
  for (std::size_t k = 0; k < group.count; ++k)
    group.forecasts[k][Stacking::neighbours] = bounded(exact_.nearest.mean(
        batch.x + (group.first + k) * batch.ldx, batch.blocks[group.first], batch.n, scratch));
}

template <class T>
void StackedPredictor<T>::ask_ridge(std::size_t i, const Batch<T>& batch, Asked asked, Scratch& scratch,
                                    Group& group) const {
  const Voice has = voice(i, asked);
  const bool ask_left = asked != Asked::mean && has.left + has.unknown > 0;
  std::array<double, together_max> mean, left;
  exact_.ridge[i].ask(batch.x + group.first * batch.ldx, batch.ldx, batch.blocks[group.first], scratch,
                      std::span(mean).first(group.count), std::span(left).first(ask_left ? group.count : 0));
  for (std::size_t k = 0; k < group.count; ++k) group.forecasts[k][i + 1] = bounded(mean[k]);
  if (!ask_left) return;
  for (std::size_t k = 0; k < group.count; ++k) {
    group.left[k] += has.left * left[k];
    group.unknown[k] += has.unknown * left[k];
    group.drawn[k] += has.draws * left[k];
  }
}

template <class T>
auto StackedPredictor<T>::say(const Contexts& one, bool ask_unknown, Scratch& scratch) const -> Said {
  double network = 0;
  Group group;
  group.count = 1;
  const Batch<T> batch = network_->scaling().map(one, scratch);
  network_->predict(one, batch, scratch, std::span(&network, 1), {});
  ask(batch, &network, ask_unknown ? Asked::all : Asked::mean, scratch, group);
  if (exact_.nearest.speaks()) ask_neighbours(batch, scratch, group);
  return {group.forecasts[0], group.unknown[0], size_of(batch.x)};
}

template <class T>
Stacking::Numbers StackedPredictor<T>::say_common(const Contexts& one, Scratch& scratch) const {
  if (!tells_common()) return {};
  const Scaling<T>& scaling = network_->scaling();
  const std::span<const double> x = one[0].values;
  const auto usual = scratch.take<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    usual[i] = common_[i] ? x[i] : scaling.scales_inputs() ? scaling.input_mean(i) : 0;
  return say(Contexts::per_arm(usual, 1), false, scratch).forecasts;
}

template <class T>
Stacking::Numbers StackedPredictor<T>::apart(Stacking::Numbers forecasts, const Stacking::Numbers& common) {
  for (std::size_t i = 0; i < forecasts.size(); ++i) forecasts[i] -= common[i];
  return forecasts;
}

// Squared.
template <class T>
double StackedPredictor<T>::novelty(std::size_t block, double left) const {
  if (shared_weights()) return left * left;
  const double of_arm = 1 / (1 + static_cast<double>(exact_.ridge[ExactPaths::line].plays(block)));
  return of_arm * of_arm;
}

template <class T>
bool StackedPredictor<T>::tells_rare() const {
  return shared_weights() && exact_.speaks(ExactPaths::line);
}

template <class T>
double StackedPredictor<T>::bounded(double forecast) const {
  const bool seen = worst_reward_ < std::numeric_limits<double>::infinity();
  return seen ? std::max(forecast, static_cast<double>(network_->scaling().map_reward(worst_reward_))) : forecast;
}

template <class T>
double StackedPredictor<T>::constant_forecast(std::size_t block) const {
  return constants_speak() ? bounded(exact_.constant.mean(block)) : 0;
}

template <class T>
double StackedPredictor<T>::doubt(const Stacking::Numbers& forecasts) const {
  double mean = 0, square = 0;
  for (std::size_t i = 0; i < forecasts.size(); ++i) mean += open_[i] * forecasts[i];
  for (std::size_t i = 0; i < forecasts.size(); ++i)
    square += open_[i] * (forecasts[i] - mean) * (forecasts[i] - mean);
  const double hoped = hope(forecasts);
  return (tells_common() ? doubt_draw_of_parts : doubt_draw) * openness_ * square + hoped * hoped;
}

// A line that leads is right where it has led, and where it says that there is nothing nobody looks: there the
// curve, which knows little, hopes for more than the others believe. Half a deviation is no reason to look, one is,
// and a few rewards settle it, since the curve learns from them at once. Who has hoped in vain hopes for less. Where contexts
// of a decision have columns in common it is users of whom a line sees least, and no choice is to be hoped for from them.
template <class T>
double StackedPredictor<T>::hope(const Stacking::Numbers& forecasts) const {
  if (!shared_curve() || tells_common()) return 0;
  const double more = fulfilled_ * std::max(0.0, forecasts[Stacking::curve] - mixed(forecasts)),
               cube = more * more * more;
  return std::min(most_hope, hope_draw * cube * cube);
}

template <class T>
double StackedPredictor<T>::width_of(std::size_t block, double size, double drawn, double novelty,
                                     const Stacking::Numbers& forecasts, double tangent) const {
  const double sd = network_->scaling().width(1), share = shares_.front(),
               draw = tells_common() ? path_draw_of_parts : path_draw;
  const double of_constant =
      share > 0 ? constant_draw * constant_draw * share * exact_.constant.left(block) : 0;
  const double believed =
      time_for_arms() * (size * (draw * draw * drawn + novelty) + of_constant + doubt(forecasts));
  const double curved = shares_.back() * tangent_draw * tangent;
  return std::sqrt(sd * sd * believed + curved * curved);
}

// Of many arms, some of which are as good as the best, who first gets to know all has no time to play the good ones. So
// widths are smaller, and who was hardly played is no longer taken for as good as what is played.
template <class T>
double StackedPredictor<T>::time_for_arms() const {
  if (!constants_speak()) return 1;
  const auto arms = static_cast<double>(wonder_of_arms_.size());
  return std::min(1.0, (few_arms + Stacking::rounds_at(openness_) / time_for_an_arm) / arms);
}

// Where the arm alone tells the reward, contexts like this one have nothing to tell. Nor has who knows the rewards' unit
// anything in common with who does not yet. Where contexts share their weights, one that is like another should be the same
// action again: where they differ in all columns nobody knows what likeness means, and what the kernel says of many
// columns is said of this context only; where they differ by sizes the others learn sooner.
template <class T>
double StackedPredictor<T>::early_part(const Contexts& contexts) const {
  if (!early_ || early_->scaling().rewards_vary() != network_->scaling().rewards_vary()) return 0;
  const double part = early_part_ * (1 - shares_.front());
  if (!shared_weights() || part == 0) return part;
  const double time = EarlyKernel::time_for(contexts.arms(), early_->inner().points());
  return time > 0 ? part * time * told_by_name(contexts) : 0;
}

// Of a context that is like no other all arms are equally unsure, and far more than its forecasts differ: draws as wide
// as that would decide alone, and what they teach is told of this context only. So hardly more than the difference
// between arms counts, as it does for an upper bound.
template <class T>
void StackedPredictor<T>::add_early(const Contexts& contexts, double part, Scratch& scratch, std::span<double> mean,
                                    std::span<double> width) const {
  const auto early_mean = scratch.take<double>(mean.size()), early_width = scratch.take<double>(width.size());
  early_->predict(contexts, scratch, early_mean, early_width);
  for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += part * (early_mean[k] - mean[k]);
  if (width.empty()) return;
  const auto common = [](std::span<const double> widths) {
    return in_common * *std::min_element(widths.begin(), widths.end());
  };
  const double of_early = common(early_width), of_own = common(width), kept = shared_weights() ? kept_early : 0;
  for (std::size_t k = 0; k < width.size(); ++k)
    width[k] += part * (std::hypot(early_width[k] - of_early, kept * (width[k] - of_own)) - width[k]);
}

// A bonus that all arms have alike decides nothing for a rule that does not draw: it goes by the square of what
// is left, and is nobody's where no line tells what is. At the edge there is most to learn, and looking at one
// context in ten costs a tenth.
template <class T>
void StackedPredictor<T>::add_wonder(const Batch<T>& batch, std::span<const Offered> offered,
                                     std::span<double> width) const {
  double most = 0;
  for (const Offered& one : offered) most = std::max(most, one.left);
  if (!(most > 0)) return;
  double met = 0, at_edge = 0;  // size of the context before, which most arms have in common
  for (std::size_t k = 0; k < width.size(); ++k) {
    const double of_most = offered[k].left / most, size = offered[k].size;
    if (size != met) at_edge = std::pow(sizes_.smaller_than(size), edge);
    met = size;
    const double wonder = wonder_ * of_most * of_most + wonder_of_arms_[batch.blocks[k]];
    width[k] = std::hypot(width[k], wonder * at_edge);
  }
}

template <class T>
void StackedPredictor<T>::predict(const Contexts& contexts, Scratch& scratch, std::span<double> mean,
                                  std::span<double> width) const {
  const Scaling<T>& scaling = network_->scaling();
  const Batch<T> batch = scaling.map(contexts, scratch);
  network_->predict(contexts, batch, scratch, mean, width);
  const double length = static_cast<double>(exact_.ridge[ExactPaths::curve].length()),
               work = static_cast<double>(batch.n) * length * length / 2;
  const Asked asked = width.empty() ? Asked::mean : work > affordable_curves ? Asked::line_width : Asked::all;
  const auto offered = scratch.take<Offered>(width.size());
  const Stacking::Numbers common = say_common(contexts, scratch);
  const double of_common = mixed_common(common);
  Group group;
  for (; group.first < batch.n; group.first += group.count) {
    const std::size_t first = group.first, block = batch.blocks[first],
                      end = std::min(batch.n, first + together_max);
    for (group.count = 1; first + group.count < end && batch.blocks[first + group.count] == block; )
      ++group.count;
    ask(batch, mean.data() + first, asked, scratch, group);
    if (share_of(ExactPaths::neighbours) > 0) ask_neighbours(batch, scratch, group);
    const double below = (1 - time_for_arms()) * exact_.constant.below(block);
    for (std::size_t k = 0; k < group.count; ++k) {
      const Stacking::Numbers forecasts = apart(group.forecasts[k], common);
      mean[first + k] = scaling.mean(bounded(of_common + mixed(forecasts) + below));
      if (width.empty()) continue;
      const double size = size_of(batch.x + (first + k) * batch.ldx);
      offered[first + k] = {size, group.left[k], group.drawn[k], group.unknown[k]};
      double& tangent = width[first + k];
      tangent = width_of(block, size, group.drawn[k], novelty(block, group.left[k]), forecasts, tangent);
    }
  }
  if (shared_weights() && !width.empty()) leave_out_common(batch, network_->network().shape().input.length, width);
  // Who speaks early may not take back what keeps an action from being given up for good.
  const auto chances = scratch.take<double>(tells_rare() ? width.size() : 0);
  const RewardScale rewards{.level = scaling.mean(0), .deviation = scaling.width(1), .noise = exact_.noise()};
  if (!chances.empty()) {
    add_rarity(offered, rewards, usually_unknown_, width);
    give_second_chances(offered, rewards, mean, chances);
  }
  if (!shared_weights()) {
    const double by_contexts = 1 - shares_.front();
    add_neglect(offered, rewards, path_draw, by_contexts * by_contexts * time_for_arms(), width);
  }
  if (const double part = early_part(contexts); part > 0) add_early(contexts, part, scratch, mean, width);
  for (std::size_t k = 0; k < chances.size(); ++k) width[k] = std::hypot(width[k], chances[k]);
  if (!shared_weights()) add_wonder(batch, offered, width);
}

template <class T>
void StackedPredictor<T>::save(Writer& out) const {
  network_->save(out);
  exact_.save(out);
  for (const auto* list : {&weights_, &open_})
    for (const double number : *list) out.value(number);
  for (const double number : {openness_, worst_reward_, usually_unknown_, fulfilled_}) out.value(number);
  save_wonder(out);
  common_.save(out);
  for (const auto* weights : {&parts_.common, &parts_.apart})
    for (const double weight : *weights) out.value(weight);
  if (!early_expected_) return;
  out.value(early_part_);
  if (early_part_ > 0) early_->save(out);
}

template <class T>
void StackedPredictor<T>::save_wonder(Writer& out) const {
  sizes_.save(out);
  out.value(wonder_);
  for (const double wonder : wonder_of_arms_) out.value(wonder);
}

template <class T>
void StackedPredictor<T>::load_wonder(Reader& in) {
  sizes_.load(in);
  wonder_ = in.value<double>();
  for (double& wonder : wonder_of_arms_) wonder = in.value<double>();
}

template <class T>
void StackedPredictor<T>::load_rest(const EarlyKernel& early, Reader& in) {
  exact_.load(in);
  for (auto* list : {&weights_, &open_}) *list = Stacking::read(in);
  set_shares();
  const bool sizes_known = in.version() >= ContextSizes::first_version;
  openness_ = in.value<double>();
  if (!sizes_known) in.value<double>();  // wonder about contexts of all sizes
  for (double* number : {&worst_reward_, &usually_unknown_}) *number = in.value<double>();
  fulfilled_ = in.version() < Hopes::first_version ? 1 : in.value<double>();
  if (sizes_known) load_wonder(in);
  else wonder_ = 0, std::fill(wonder_of_arms_.begin(), wonder_of_arms_.end(), 0.0);
  common_ = {};
  if (in.version() >= CommonColumns::first_version) {
    common_.load(in, network_->network().shape().input.length);
    parts_ = {Stacking::read(in), Stacking::read(in)};
  } else {
    parts_ = {weights_, weights_};
  }
  early_part_ = early.in_file(in.version()) ? in.value<double>() : 0;
  early_ = early_part_ > 0 ? early.read_predictor(in) : nullptr;
}

template <class T>
std::shared_ptr<const Predictor> StackedPredictor<T>::prepared() const {
  auto copy = std::make_shared<StackedPredictor>(*this);
  auto network = std::make_shared<NeuralPredictor<T>>(*network_);
  network->prepare();
  copy->set_network(std::move(network));
  for (RidgePath& path : copy->exact_.ridge)
    if (shared_weights() && path.affordable()) path.prepare();
  return copy;
}

template class StackedPredictor<float>;
template class StackedPredictor<double>;

}  // namespace neuralts
