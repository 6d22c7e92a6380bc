#include "model/ensemble.hpp"

#include <algorithm>

namespace neuralts {

namespace {

// The first member is the network that a policy with one network would have.
std::uint64_t member_seed(std::uint64_t seed, std::size_t member) {
  return member == 0 ? seed : Stream(seed, Purpose::bootstrap, member).bits64();
}

}  // namespace

template <class T>
Ensemble<T>::Ensemble(const EnsembleSettings& settings)
    : settings_(settings), observations_(settings.fit.standardise, settings.fit.shape.input), schedule_(settings.fit.schedule),
      dealer_(settings.fit.seed, Purpose::bootstrap) {
  for (std::size_t i = 0; i < settings.members; ++i) members_.push_back(make_member(i));
}

template <class T>
typename Ensemble<T>::Member Ensemble<T>::make_member(std::size_t index) const {
  const FitSettings& fit = settings_.fit;
  const std::uint64_t seed = member_seed(fit.seed, index);
  const Network<T> network(fit.shape, fit.initialisation, seed);
  return {network, Trainer<T>(fit.trainer, network, seed), RoundWeights<T>(settings_.keep < 1 ? fit.shape.input.blocks : 0), 0};
}

template <class T>
void Ensemble<T>::predict(std::size_t member, const Batch<T>& batch, Scratch& scratch, std::span<double> mean) const {
  const auto inputs = scratch.take<T>(batch.n * shape().hidden() * shape().units);
  const auto f = scratch.take<T>(batch.n);
  members_[member].network.forward(batch, inputs.data(), f.data());
  for (std::size_t k = 0; k < batch.n; ++k) mean[k] = observations_.standardiser().mean(static_cast<double>(f[k]));
}

template <class T>
bool Ensemble<T>::learn(std::span<const Finished> finished) {
  for (const Finished& round : finished) {
    observations_.append(round);
    deal(round.context.block);
  }
  if (settings_.fit.stop_after > 0 && rounds() > settings_.fit.stop_after) return false;
  if (!schedule_.due(rounds(), 0)) return false;
  observations_.refit();
  for (Member& member : members_) train(member);
  schedule_.done(rounds(), 0);
  return true;
}

template <class T>
void Ensemble<T>::deal(std::size_t block) {
  for (Member& member : members_) {
    const bool kept = settings_.keep >= 1 || dealer_.uniform() < settings_.keep;
    member.kept += kept;
    if (!member.weights.empty()) member.weights[block].push_back(kept);
  }
}

// A mean loss is the mean over the member's own rounds.
template <class T>
void Ensemble<T>::train(Member& member) {
  if (member.kept == 0) return;
  const T weight = settings_.fit.trainer.mean_loss ? static_cast<T>(rounds()) / static_cast<T>(member.kept) : T(1);
  for (auto& block : member.weights)
    for (T& value : block) value = value > 0 ? weight : 0;
  member.trainer.train(member.network, observations_.history(), member.weights);
}

template <class T>
std::size_t Ensemble<T>::memory() const {
  std::size_t bytes = observations_.memory();
  for (const Member& member : members_) {
    bytes += member.trainer.memory() + member.network.theta().size() * sizeof(T);
    for (const auto& block : member.weights) bytes += block.capacity() * sizeof(T);
  }
  return bytes;
}

template <class T>
void Ensemble<T>::save(Writer& out) const {
  observations_.save(out);
  schedule_.save(out);
  out.value(dealer_.state());
  for (const Member& member : members_) {
    out.values(member.network.theta());
    member.trainer.save(out);
    out.value<std::uint64_t>(member.kept);
    for (const auto& block : member.weights) out.values(block);
  }
}

template <class T>
void Ensemble<T>::load(Reader& in) {
  observations_.load(in);
  schedule_.load(in);
  dealer_ = Stream(in.value<Stream::State>());
  for (Member& member : members_) {
    const auto theta = in.values<T>(member.network.theta().size());
    std::copy(theta.begin(), theta.end(), member.network.mutable_theta().begin());
    member.network.refresh();
    member.trainer.load(in);
    member.kept = in.value<std::uint64_t>();
    for (std::size_t k = 0; k < member.weights.size(); ++k) member.weights[k] = in.values<T>(observations_.history().blocks()[k].rows());
  }
}

template class Ensemble<float>;
template class Ensemble<double>;

}  // namespace neuralts
