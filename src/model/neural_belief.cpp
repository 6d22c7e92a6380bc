#include "model/neural_belief.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

namespace neuralts {

namespace {

template <class T>
std::unique_ptr<Posterior<T>> make_posterior(const NeuralSettings& settings) {
  if (settings.posterior == PosteriorKind::diagonal) return make_diagonal_posterior<T>(settings.design_width);
  return make_exact_posterior<T>(settings.design_width, settings.posterior == PosteriorKind::automatic);
}

template <class T>
Network<T> make_network(const NeuralSettings& settings) {
  if (settings.theta0.empty()) return {settings.shape, settings.initialisation, settings.seed};
  if (settings.theta0.size() != settings.shape.parameters())
    throw ContractError("theta_0 has " + std::to_string(settings.theta0.size()) + " numbers, the network " +
                        std::to_string(settings.shape.parameters()));
  return {settings.shape, std::vector<T>(settings.theta0.begin(), settings.theta0.end())};
}

constexpr double residual_memory = 1.0 / 200;
constexpr std::size_t mapped_a_round = 1024, grown_a_round = 128;  // of a history that is scaled anew in parts

}  // namespace

template <class T>
NeuralBelief<T>::NeuralBelief(const NeuralSettings& settings, bool keeps_beyond)
    : settings_(settings), known_(make_network<T>(settings), make_posterior<T>(settings)),
      observations_(settings.standardise, settings.shape.input, settings.keep, settings.seed, keeps_beyond),
      state_(settings.trainer, known_.network(), settings.seed),
      schedule_(settings.schedule),
      growth_(settings.shape) {
  known_.set_scaling(observations_.scaling());
  if (settings.averaging > 0) trained_.emplace(known_.network());
}

template <class T>
std::size_t NeuralBelief<T>::memory() const {
  const std::size_t trained = trained_ ? trained_->theta().size() * sizeof(T) : 0;
  const std::size_t design = rescaling_ && rescaling_->design ? rescaling_->design->memory() : 0;
  return observations_.memory() + state_.memory() + known_.memory() + trained + design;
}

template <class T>
std::shared_ptr<const Predictor> NeuralBelief<T>::read_predictor(Reader& in) const {
  auto read = std::make_shared<NeuralPredictor<T>>(make_network<T>(settings_), make_posterior<T>(settings_));
  read->load(in);
  return read;
}

template <class T>
void NeuralBelief<T>::played(const Slice& context) {
  const Finished round{context, 0};
  check_room(context);
  if (settings_.design == Design::played) growth_.add(known_.posterior(), known_, std::span(&round, 1));
}

// A round's residual, before it is learned from, tells how noisy rewards are.
template <class T>
void NeuralBelief<T>::observe(std::span<const Finished> rounds) {
  make_room(rounds);
  take_in(rounds);
  if (rescaling() && rescaled_design()) finish_rescaling();
}

template <class T>
void NeuralBelief<T>::take_in(std::span<const Finished> rounds, std::span<const double> beyond) {
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    ++observed_;
    if (settings_.calibrate) count_residual(rounds[i]);
    observations_.append(rounds[i], beyond.empty() ? 0 : beyond[i]);
  }
  if (observations_.full()) bound();
  weigh_widths();
  if (settings_.design == Design::rewarded && settings_.grow == Grow::before_training) follow(rounds);
  if (rescaling()) go_on_rescaling(rounds.size());
  else due_ = (due_ || schedule_asks()) && !begin_rescaling();
  if (!due_) return settle(rounds);
  if (grows_afterwards()) waiting_.append(rounds);
}

template <class T>
void NeuralBelief<T>::make_room(std::span<const Finished> rounds) {
  for (const Finished& round : rounds) check_room(round.context);
  observations_.reserve(rounds);
  waiting_.reserve(rounds);
  growth_.reserve(rounds.size());
  if (!settings_.calibrate || rounds.empty()) return;
  const double residual = residual_;  // asked once for the scratch
  count_residual(rounds.front());
  residual_ = residual;
}

// Where there is no memory for it the rounds stay, and leave with the next ones.
template <class T>
void NeuralBelief<T>::bound() {
  try {
    observations_.retain({});
    if (rescaling()) rescale_from_start();
  } catch (const std::bad_alloc&) {
  }
}

template <class T>
void NeuralBelief<T>::prepare_training(std::vector<TrainJob>& jobs) {
  rescaled_ = (!in_parts() && observations_.refit()) || rescaled_;
  jobs.push_back({FitJob<T>{.network = trained_ ? &*trained_ : &known_.network(),
                            .history = &observations_.history(),
                            .weights = &observations_.weights(),
                            .rounds = observations_.total_weight(),
                            .settings = &settings_.trainer,
                            .state = &state_}});
}

template <class T>
void NeuralBelief<T>::finish_training() {
  if (trained_) average();
  known_.set_scaling(observations_.scaling());
  weigh_widths();
  due_ = schedule_.done(observations_.seen(), log_det()) && schedule_asks();
  const RoundList waited = std::exchange(waiting_, {});
  const bool rescaled = std::exchange(rescaled_, false) && design_follows();
  behind_ = std::exchange(forgot_, false) || rescaled || behind_;
  settle(waited.rounds());
}

// A running mean over about `averaging` n of the last steps, over all of them at first: what mini-batches make
// of single steps is noise, and their mean has little of it left.
template <class T>
void NeuralBelief<T>::average() {
  const double n = static_cast<double>(observations_.history().size()),
               steps = static_cast<double>(std::max<std::uint64_t>(state_.steps, 1));
  const double a_step = std::max(1 / steps, 1 / (1 + settings_.averaging * n));
  const T share = static_cast<T>(std::min(1.0, a_step * static_cast<double>(settings_.trainer.iterations)));
  const auto mean = known_.network().mutable_theta();
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += share * (trained_->theta()[i] - mean[i]);
  known_.network().refresh();
}

template <class T>
bool NeuralBelief<T>::retain(const Retention& retention) {
  if (!settings_.keep.forgets) return false;
  observations_.retain(retention);
  observations_.map_more(SIZE_MAX);
  rescaling_.reset();
  const bool trains = schedule_.trains() && (settings_.stop_after == 0 || observed_ <= settings_.stop_after);
  if (trains) due_ = forgot_ = true;
  else known_.set_scaling(observations_.scaling()), behind_ = true, follow({});
  return true;
}

// Where there is no memory for a second design the training goes first, and the next one asks again.
template <class T>
bool NeuralBelief<T>::begin_rescaling() {
  if (!in_parts() || !observations_.refit_due() || forgot_ || behind_ || rescaled_ || !waiting_.empty())
    return false;
  try {
    auto rescaling = std::make_unique<Rescaling>();
    if (design_follows()) rescaling->design = make_posterior<T>(settings_);
    if (!observations_.begin_refit()) return false;
    rescaling_ = std::move(rescaling);
    rescale_from_start();
  } catch (const std::bad_alloc&) {
  }
  return rescaling();
}

template <class T>
void NeuralBelief<T>::rescale_from_start() {
  if (rescaling_->design) rescaling_->design->restart(settings_.design_width.lambda);
  rescaling_->walk = RowWalk(rescaling_->design && rescaling_->design->has_basis());
  rescaling_->ready = false;
  ++rescalings_begun_;
}

template <class T>
void NeuralBelief<T>::go_on_rescaling(std::size_t rounds) {
  if (!observations_.mapped()) return observations_.map_more(mapped_a_round * rounds);
  rescaling_->ready = !rescaling_->design;
  try {
    for (std::size_t grown = 0; !rescaling_->ready && grown < grown_a_round * rounds;) {
      const RowWalk::Rows rows = rescaling_->walk.next(observations_.history());
      if (rows.count > 0) growth_.add(*rescaling_->design, known_, observations_, rows);
      rescaling_->ready = rows.count == 0;
      grown += rows.count;
    }
  } catch (const std::bad_alloc&) {
    rescale_from_start();
  }
}

// Trainings that were not done meanwhile are not made up for: that would be one long call after all.
template <class T>
void NeuralBelief<T>::finish_rescaling() {
  known_.set_scaling(observations_.scaling());
  if (rescaling_->design) known_.set_posterior(std::move(rescaling_->design)), behind_ = false;
  rescaling_.reset();
  weigh_widths();
  schedule_.skip(observations_.seen(), log_det());
}

// Where there is no memory for it the design falls behind, and is made anew with the next rounds: widths are
// too wide until then.
template <class T>
void NeuralBelief<T>::follow(std::span<const Finished> rounds) {
  try {
    if (behind_) design_anew();
    else growth_.add(known_.posterior(), known_, rounds);
    behind_ = false;
  } catch (const std::bad_alloc&) {
    behind_ = true;
  }
}

// From the rounds there are, at the weights of this moment. What keeps some of them as a basis sees an even
// sample of all first.
template <class T>
void NeuralBelief<T>::design_anew() {
  RowWalk walk(known_.posterior().has_basis());
  known_.posterior().restart(settings_.design_width.lambda);
  for (auto rows = walk.next(observations_.history()); rows.count > 0; rows = walk.next(observations_.history()))
    growth_.add(known_.posterior(), known_, observations_, rows);
}

// What is left to do with rounds once the training that they asked for, if any, is done.
template <class T>
void NeuralBelief<T>::settle(std::span<const Finished> rounds) {
  const bool stands = behind_ && rescaling();  // from rounds of two scales nothing is made anew
  if ((grows_afterwards() || behind_) && !stands) follow(rounds);
  if (settings_.doubling && observed_ + 1 >= 2 * epoch_) restart();
}

template <class T>
bool NeuralBelief<T>::schedule_asks() const {
  if (settings_.stop_after > 0 && observed_ > settings_.stop_after) return false;
  return schedule_.due(observations_.seen(), log_det(), observations_.history().size());
}

template <class T>
std::vector<std::string> NeuralBelief<T>::notes() const {
  std::vector<std::string> notes;
  if (const std::string note = known_.posterior().note(); !note.empty()) notes.push_back(note);
  if (state_.diverged > 0)
    notes.push_back("training diverged " + std::to_string(state_.diverged) +
                    " times and was undone each time; lower `step`, or set step=auto");
  return notes;
}

template <class T>
void NeuralBelief<T>::save(Writer& out) const {
  known_.save(out);
  if (trained_) out.values(trained_->theta());
  state_.save(out);
  observations_.save(out);
  schedule_.save(out);
  out.value<std::uint8_t>(due_);
  out.value(static_cast<std::uint8_t>(rescaled_ | behind_ << 1 | rescaling() << 2));
  if (settings_.keep.forgets) out.value<std::uint8_t>(forgot_);
  waiting_.save(out);
  out.value(residual_);
  out.value<std::uint64_t>(observed_);
  out.value<std::uint64_t>(epoch_);
  if (!rescaling()) return;
  observations_.save_progress(out);
  rescaling_->walk.save(out);
  out.value(static_cast<std::uint8_t>(rescaling_->ready | (rescaling_->design != nullptr) << 1));
  if (rescaling_->design) rescaling_->design->save(out);
}

template <class T>
void NeuralBelief<T>::load(Reader& in) {
  known_.load(in);
  if (trained_) {
    const auto theta = in.values<T>(trained_->theta().size());
    std::copy(theta.begin(), theta.end(), trained_->mutable_theta().begin());
    trained_->refresh();
  }
  state_.load(in);
  observations_.load(in);
  schedule_.load(in);
  due_ = in.value<std::uint8_t>() != 0;
  const auto design = in.value<std::uint8_t>();
  rescaled_ = (design & 1) != 0;
  behind_ = (design & 2) != 0;
  if (settings_.keep.forgets) forgot_ = in.value<std::uint8_t>() != 0;
  waiting_.load(in, settings_.shape.input);
  residual_ = in.value<double>();
  observed_ = in.value<std::uint64_t>();
  epoch_ = in.value<std::uint64_t>();
  rescaling_.reset();
  if ((design & 4) != 0) load_rescaling(in);
}

template <class T>
void NeuralBelief<T>::load_rescaling(Reader& in) {
  rescaling_ = std::make_unique<Rescaling>();
  observations_.load_progress(in);
  rescaling_->walk.load(in, observations_.history());
  const auto state = in.value<std::uint8_t>();
  rescaling_->ready = (state & 1) != 0;
  if ((state & 2) == 0) return;
  rescaling_->design = make_posterior<T>(settings_);
  rescaling_->design->load(in);
}

template <class T>
void NeuralBelief<T>::check_room(const Slice& context) {
  constexpr double large = 1e6;  // smaller ones never overflow: a training that leaves less room is undone
  if (std::all_of(context.values.begin(), context.values.end(),
                  [](double value) { return std::abs(value) < large; }))
    return;
  const double square = growth_.square(known_, context);
  if (static_cast<T>(square) <= std::numeric_limits<T>::max()) return;
  throw ContractError(
      "a context is too large for what the network has learned so far: its features are more than a number "
      "holds: standardise inputs, set precision=float64, or use another unit");
}

template <class T>
void NeuralBelief<T>::count_residual(const Finished& round) {
  double mean = 0;
  const auto block = static_cast<std::uint32_t>(round.context.block);
  scratch_.reset();
  known_.predict(Contexts::disjoint(round.context.values, std::span(&block, 1)), scratch_, std::span(&mean, 1), {});
  const double residual = mean - round.reward;
  const double share = std::max(1 / static_cast<double>(observed_), residual_memory);
  residual_ += share * (residual * residual - residual_);
}

template <class T>
void NeuralBelief<T>::weigh_widths() {
  known_.set_width_factor(noise());
}

// Never above 1, the rewards' own standard deviation: one surprise must not drown what is known in exploration.
template <class T>
double NeuralBelief<T>::noise() const {
  return settings_.calibrate && observed_ > 0 ? std::min(1.0, std::sqrt(residual_) / known_.scaling().width(1)) : 1;
}

template <class T>
void NeuralBelief<T>::restart() {
  epoch_ = std::bit_floor(observed_ + 1);
  behind_ = false;
  rescaling_.reset();
  std::copy(state_.theta0.begin(), state_.theta0.end(), known_.network().mutable_theta().begin());
  known_.network().refresh();
  if (trained_) trained_ = known_.network();
  state_.forget_moments();
  observations_.restart();
  known_.set_scaling(observations_.scaling());
  weigh_widths();
  schedule_.restart();
  known_.posterior().restart(settings_.design_width.lambda);
}

template class NeuralBelief<float>;
template class NeuralBelief<double>;

}  // namespace neuralts
