#include "model/neural_belief.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace neuralts {

namespace {

template <class T>
std::unique_ptr<Posterior<T>> make_posterior(PosteriorKind kind, const PosteriorSettings& settings) {
  if (kind == PosteriorKind::diagonal) return make_diagonal_posterior<T>(settings);
  return make_exact_posterior<T>(settings, kind == PosteriorKind::automatic);
}

template <class T>
Network<T> make_network(const NeuralSettings& settings) {
  if (settings.theta0.empty()) return {settings.shape, settings.initialisation, settings.seed};
  if (settings.theta0.size() != settings.shape.parameters())
    throw ContractError("theta_0 has " + std::to_string(settings.theta0.size()) + " numbers, the network " + std::to_string(settings.shape.parameters()));
  return {settings.shape, std::vector<T>(settings.theta0.begin(), settings.theta0.end())};
}

constexpr double residual_memory = 1.0 / 200;
constexpr std::size_t panel = 64;  // rounds the design takes in together

}  // namespace

template <class T>
NeuralBelief<T>::NeuralBelief(const NeuralSettings& settings)
    : settings_(settings), observations_(settings.standardise, settings.shape.input), network_(make_network<T>(settings)),
      trainer_(settings.trainer, network_, settings.seed),
      posterior_(make_posterior<T>(settings.posterior, settings.design_width)), schedule_(settings.schedule) {}

template <class T>
void NeuralBelief<T>::predict(const Contexts& contexts, Scratch& scratch, std::span<double> mean, std::span<double> width) const {
  const Batch<T> batch = observations_.map(contexts, scratch);
  const std::size_t n = batch.n, some = part(contexts), parts = (n + some - 1) / some, mark = scratch.mark();
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t at = (scratch.turned() ? parts - 1 - i : i) * some, count = std::min(some, n - at);
    predict(Batch<T>{count, batch.x + at * batch.ldx, batch.ldx, batch.blocks + at}, scratch, mean.subspan(at, count),
            width.empty() ? width : width.subspan(at, count));
    scratch.rewind(mark);
  }
}

// Arms of a decision to be predicted together: all of them, unless they share neither weights nor widths and have more of both than
// the second-level cache holds. Then one by one, there and back in turn (Scratch::turned).
template <class T>
std::size_t NeuralBelief<T>::part(const Contexts& contexts) const {
  constexpr std::size_t cache = std::size_t{1} << 20;
  const std::size_t arms = contexts.arms();
  const bool streams = arms * settings_.shape.input.length * settings_.shape.units * sizeof(T) > cache;
  return streams && contexts.shared() && !posterior_->batching_helps() ? 1 : std::max<std::size_t>(arms, 1);
}

template <class T>
void NeuralBelief<T>::predict(const Batch<T>& batch, Scratch& scratch, std::span<double> mean, std::span<double> width) const {
  const std::size_t n = batch.n, layers = n * settings_.shape.hidden() * settings_.shape.units;
  const auto inputs = scratch.take<T>(layers);
  const auto f = scratch.take<T>(n);
  network_.forward(batch, inputs.data(), f.data());
  for (std::size_t k = 0; k < n; ++k) mean[k] = observations_.standardiser().mean(static_cast<double>(f[k]));
  if (width.empty()) return;
  const auto signals = scratch.take<T>(layers);
  network_.backward(n, inputs.data(), nullptr, signals.data());
  posterior_->variance({batch, inputs.data(), signals.data()}, scratch, width);
  const double factor = noise() * vigilance();
  for (double& w : width) w = factor * observations_.standardiser().width(std::sqrt(w));
}

template <class T>
void NeuralBelief<T>::played(const Slice& context) {
  const Finished round{context, 0};
  if (settings_.design == Design::played) grow(std::span(&round, 1));
}

template <class T>
void NeuralBelief<T>::learn(std::span<const Finished> rounds) {
  for (const auto& round : rounds) observe(round);
  if (settings_.design == Design::rewarded && settings_.grow == Grow::before_training) grow(rounds);
  train_when_due();
  if (settings_.design == Design::rewarded && settings_.grow == Grow::after_training) grow(rounds);
  if (settings_.doubling && observed_ >= 2 * epoch_) restart();
}

template <class T>
std::size_t NeuralBelief<T>::memory() const {
  return observations_.memory() + trainer_.memory() + posterior_->memory() + network_.theta().size() * sizeof(T);
}

template <class T>
std::vector<std::string> NeuralBelief<T>::notes() const {
  std::vector<std::string> notes;
  if (const std::string note = posterior_->note(); !note.empty()) notes.push_back(note);
  if (trainer_.diverged() > 0)
    notes.push_back("training diverged " + std::to_string(trainer_.diverged()) + " times and was undone each time; lower `step`, or set step=auto");
  return notes;
}

template <class T>
void NeuralBelief<T>::save(Writer& out) const {
  out.values(network_.theta());
  trainer_.save(out);
  observations_.save(out);
  schedule_.save(out);
  posterior_->save(out);
  out.value(residual_);
  out.value<std::uint64_t>(observed_);
  out.value<std::uint64_t>(epoch_);
}

template <class T>
void NeuralBelief<T>::load(Reader& in) {
  const auto theta = in.values<T>(network_.theta().size());
  std::copy(theta.begin(), theta.end(), network_.mutable_theta().begin());
  network_.refresh();
  trainer_.load(in);
  observations_.load(in);
  schedule_.load(in);
  posterior_->load(in);
  residual_ = in.value<double>();
  observed_ = in.value<std::uint64_t>();
  epoch_ = in.value<std::uint64_t>();
}

// One finished round into the history; its residual, before it is learned from, tells how noisy rewards are.
template <class T>
void NeuralBelief<T>::observe(const Finished& round) {
  ++observed_;
  if (settings_.calibrate) count_residual(round);
  observations_.append(round);
}

template <class T>
void NeuralBelief<T>::count_residual(const Finished& round) {
  double mean = 0;
  const auto block = static_cast<std::uint32_t>(round.context.block);
  scratch_.reset();
  predict(Contexts::disjoint(round.context.values, std::span(&block, 1)), scratch_, std::span(&mean, 1), {});
  const double residual = mean - round.reward;
  const double share = std::max(1 / static_cast<double>(observed_), residual_memory);
  residual_ += share * (residual * residual - residual_);
}

// Never above 1, the rewards' own standard deviation: one surprise must not drown what is known in exploration.
template <class T>
double NeuralBelief<T>::noise() const {
  return settings_.calibrate && observed_ > 0 ? std::min(1.0, std::sqrt(residual_) / observations_.standardiser().width(1)) : 1;
}

// Widths are in units of the rewards' standard deviation. As long as all rewards have been nearly the same number, that says little
// about those not met yet, which may be far larger: exploration must not die of it.
template <class T>
double NeuralBelief<T>::vigilance() const {
  constexpr double alarm = 12, most = 100;  // mean^2 / sd^2 at which the width doubles; its largest factor
  if (settings_.vigilance == 0 || !settings_.standardise.rewards) return 1;
  const double mean = observations_.standardiser().mean(0), sd = observations_.standardiser().width(1);
  const double calm = mean * mean / (alarm * sd * sd), v = static_cast<double>(settings_.vigilance);
  return 1 + std::min(most, calm * calm) * v / (v + static_cast<double>(observations_.history().size()));
}

template <class T>
void NeuralBelief<T>::train_when_due() {
  if (settings_.stop_after > 0 && observed_ > settings_.stop_after) return;
  const double log_det = schedule_.needs_log_det() ? posterior_->log_det() : 0;
  if (!schedule_.due(observations_.history().size(), log_det)) return;
  observations_.refit();
  trainer_.train(network_, observations_.history());
  schedule_.done(observations_.history().size(), log_det);
}

template <class T>
void NeuralBelief<T>::grow(std::span<const Finished> rounds) {
  const std::size_t d = settings_.shape.input.length;
  std::vector<std::uint32_t> blocks;
  for (; !rounds.empty(); rounds = rounds.subspan(std::min(panel, rounds.size()))) {
    const std::size_t n = std::min(panel, rounds.size());
    row_.resize(n * d);
    blocks.clear();
    for (std::size_t i = 0; i < n; ++i) {
      observations_.standardiser().map(rounds[i].context.values, row_.data() + i * d);
      blocks.push_back(static_cast<std::uint32_t>(rounds[i].context.block));
    }
    grow(Batch<T>{n, row_.data(), d, blocks.data()});
  }
}

template <class T>
void NeuralBelief<T>::grow(const Batch<T>& batch) {
  const std::size_t layers = batch.n * settings_.shape.hidden() * settings_.shape.units;
  feature_.resize(2 * layers + batch.n);
  network_.forward(batch, feature_.data(), feature_.data() + 2 * layers);
  network_.backward(batch.n, feature_.data(), nullptr, feature_.data() + layers);
  posterior_->grow({batch, feature_.data(), feature_.data() + layers});
}

template <class T>
void NeuralBelief<T>::restart() {
  epoch_ = std::bit_floor(observed_);
  std::copy(trainer_.initial().begin(), trainer_.initial().end(), network_.mutable_theta().begin());
  network_.refresh();
  trainer_.restart(network_);
  observations_.restart();
  schedule_.restart();
  posterior_->restart(settings_.design_width.lambda);
}

template class NeuralBelief<float>;
template class NeuralBelief<double>;

}  // namespace neuralts
