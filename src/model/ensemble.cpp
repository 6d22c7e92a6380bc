#include "model/ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include "base/room.hpp"

namespace neuralts {

namespace {

// The first member is the network that a policy with one network would have.
std::uint64_t member_seed(std::uint64_t seed, std::size_t member) {
  return member == 0 ? seed : Stream(seed, Purpose::bootstrap, member).bits64();
}

}  // namespace

void summarise(std::span<const double> predictions, std::size_t members, std::span<double> mean,
               std::span<double> width) {
  const std::size_t arms = mean.size();
  const double share = 1.0 / static_cast<double>(members);
  for (std::size_t k = 0; k < arms; ++k) {
    mean[k] = 0;
    for (std::size_t i = 0; i < members; ++i) mean[k] += share * predictions[i * arms + k];
    if (width.empty()) continue;
    double variance = 0;
    for (std::size_t i = 0; i < members; ++i) variance += share * std::pow(predictions[i * arms + k] - mean[k], 2);
    width[k] = std::sqrt(variance);
  }
}

template <class T>
EnsemblePredictor<T>::EnsemblePredictor(const EnsembleSettings& settings)
    : scaling_(settings.fit.shape.input.length) {
  const FitSettings& fit = settings.fit;
  for (std::size_t i = 0; i < settings.members; ++i)
    networks_.emplace_back(fit.shape, fit.initialisation, member_seed(fit.seed, i));
}

template <class T>
void EnsemblePredictor<T>::predict(std::size_t member, const Batch<T>& batch, Scratch& scratch,
                                   std::span<double> mean) const {
  if (networks_[member].halves_cancel()) return std::fill(mean.begin(), mean.end(), scaling_.mean(0));
  const auto inputs = scratch.take<T>(batch.n * shape().hidden() * shape().units);
  const auto f = scratch.take<T>(batch.n);
  networks_[member].forward(batch, inputs.data(), f.data());
  for (std::size_t k = 0; k < batch.n; ++k) mean[k] = scaling_.mean(static_cast<double>(f[k]));
}

template <class T>
void EnsemblePredictor<T>::predict(const Contexts& contexts, Scratch& scratch, std::span<double> mean,
                                   std::span<double> width) const {
  const std::size_t arms = contexts.arms();
  const Batch<T> batch = scaling_.map(contexts, scratch);
  const auto predictions = scratch.take<double>(size() * arms);
  for (std::size_t i = 0; i < size(); ++i) predict(i, batch, scratch, predictions.subspan(i * arms, arms));
  summarise(predictions, size(), mean, width);
}

template <class T>
void EnsemblePredictor<T>::save(Writer& out) const {
  for (const auto& network : networks_) out.values(network.theta());
  scaling_.save(out);
  out.value<std::uint64_t>(rounds_);
}

template <class T>
void EnsemblePredictor<T>::load(Reader& in) {
  for (auto& network : networks_) {
    const auto theta = in.values<T>(network.theta().size());
    std::copy(theta.begin(), theta.end(), network.mutable_theta().begin());
    network.refresh();
  }
  scaling_.load(in);
  rounds_ = in.value<std::uint64_t>();
}

template <class T>
Ensemble<T>::Ensemble(const EnsembleSettings& settings)
    : settings_(settings),
      known_(settings),
      observations_(settings.fit.standardise, settings.fit.shape.input, settings.fit.keep, settings.fit.seed),
      schedule_(settings.fit.schedule),
      dealer_(settings.fit.seed, Purpose::bootstrap) {
  known_.set_scaling(observations_.scaling());
  const FitSettings& fit = settings.fit;
  for (std::size_t i = 0; i < settings.members; ++i)
    members_.push_back({FitState<T>(fit.trainer, known_.network(i), member_seed(fit.seed, i)),
                        RoundWeights<T>(settings.keep < 1 ? fit.shape.input.blocks : 0), 0});
}

template <class T>
std::shared_ptr<const Predictor> Ensemble<T>::read_predictor(Reader& in) const {
  auto read = std::make_shared<EnsemblePredictor<T>>(settings_);
  read->load(in);
  return read;
}

template <class T>
void Ensemble<T>::observe(std::span<const Finished> finished) {
  observations_.reserve(finished);
  for (Member& member : members_)
    for (const Finished& round : finished)
      if (!member.weights.empty()) make_room(member.weights[round.context.block], finished.size(), false);
  for (const Finished& round : finished) {
    observations_.append(round);
    deal(round);
  }
  known_.set_rounds(rounds());
  if (observations_.full()) bound();
  due_ = due_ || schedule_asks();
}

// Where there is no memory for it the rounds stay, and leave with the next ones.
template <class T>
void Ensemble<T>::bound() {
  try {
    keep(observations_.retain({}));
  } catch (const std::bad_alloc&) {
  }
}

template <class T>
bool Ensemble<T>::schedule_asks() const {
  if (settings_.fit.stop_after > 0 && rounds() > settings_.fit.stop_after) return false;
  return schedule_.due(rounds(), 0, history().size());
}

template <class T>
bool Ensemble<T>::retain(const Retention& retention) {
  if (!settings_.fit.keep.forgets) return false;
  keep(observations_.retain(retention));
  due_ = schedule_.trains() && (settings_.fit.stop_after == 0 || rounds() <= settings_.fit.stop_after);
  return true;
}

// What members keep of the rounds that stay.
template <class T>
void Ensemble<T>::keep(const std::vector<KeptRows>& kept) {
  for (Member& member : members_) {
    member.kept = member.weights.empty() ? observations_.total_weight() : 0;
    for (std::size_t k = 0; k < member.weights.size(); ++k) {
      auto& mine = member.weights[k];
      for (std::size_t i = 0; i < kept[k].rows.size(); ++i) {
        mine[i] = mine[kept[k].rows[i]];
        if (mine[i] > 0) member.kept += weights().empty() ? 1 : static_cast<double>(weights()[k][i]);
      }
      mine.resize(kept[k].rows.size());
    }
  }
}

template <class T>
void Ensemble<T>::prepare_training(std::vector<TrainJob>& jobs) {
  observations_.refit();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    if (member.kept == 0) continue;
    weigh(member);
    jobs.push_back({FitJob<T>{.network = &known_.network(i),
                              .history = &observations_.history(),
                              .weights = member.weights.empty() ? &observations_.weights() : &member.weights,
                              .rounds = observations_.total_weight(),
                              .settings = &settings_.fit.trainer,
                              .state = &member.state}});
  }
}

template <class T>
void Ensemble<T>::finish_training() {
  known_.set_scaling(observations_.scaling());
  due_ = schedule_.done(rounds(), 0) && schedule_asks();
}

template <class T>
void Ensemble<T>::deal(const Finished& round) {
  for (Member& member : members_) {
    const bool kept = settings_.keep >= 1 || dealer_.uniform() < settings_.keep;
    if (kept) member.kept += round.weight;
    if (!member.weights.empty()) member.weights[round.context.block].push_back(kept);
  }
}

// A mean loss is the mean over the member's own rounds.
template <class T>
void Ensemble<T>::weigh(Member& member) const {
  const T share = settings_.fit.trainer.mean_loss
                      ? static_cast<T>(observations_.total_weight()) / static_cast<T>(member.kept)
                      : T(1);
  for (std::size_t k = 0; k < member.weights.size(); ++k)
    for (std::size_t i = 0; i < member.weights[k].size(); ++i)
      if (T& value = member.weights[k][i]; value > 0) value = weights().empty() ? share : share * weights()[k][i];
}

template <class T>
std::size_t Ensemble<T>::memory() const {
  std::size_t bytes = observations_.memory();
  for (const Member& member : members_) {
    bytes += member.state.memory() + member.state.theta0.size() * sizeof(T);
    for (const auto& block : member.weights) bytes += block.capacity() * sizeof(T);
  }
  return bytes;
}

template <class T>
void Ensemble<T>::save(Writer& out) const {
  known_.save(out);
  observations_.save(out);
  schedule_.save(out);
  out.value<std::uint8_t>(due_);
  out.value(dealer_.state());
  for (const Member& member : members_) {
    member.state.save(out);
    out.value(member.kept);
    for (const auto& block : member.weights) out.values(block);
  }
}

template <class T>
void Ensemble<T>::load(Reader& in) {
  known_.load(in);
  observations_.load(in);
  schedule_.load(in);
  due_ = in.value<std::uint8_t>() != 0;
  dealer_ = Stream(in.value<Stream::State>());
  for (Member& member : members_) {
    member.state.load(in);
    member.kept = in.value<double>();
    for (std::size_t k = 0; k < member.weights.size(); ++k)
      member.weights[k] = in.values<T>(history().blocks()[k].rows());
  }
}

template class EnsemblePredictor<float>;
template class EnsemblePredictor<double>;
template class Ensemble<float>;
template class Ensemble<double>;

}  // namespace neuralts
