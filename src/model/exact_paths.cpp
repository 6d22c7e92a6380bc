#include "model/exact_paths.hpp"

#include <algorithm>

#include "model/schedule.hpp"
#include "model/stacking.hpp"

namespace neuralts {

namespace {
constexpr Pace bends_wait{.least = 0, .most = 15, .part = 64};  // rounds, for one more to be taken in with
}

double ExactPaths::noise() const {
  double least = ridge[line].noise();
  for (const RidgePath& path : ridge)
    if (path.affordable()) least = std::min(least, path.noise());
  return least;
}

void ExactPaths::restart(const Noises& noise, double beyond) {
  for (std::size_t i = 0; i < ridges; ++i) ridge[i].restart(noise[i], i == line ? beyond : 0);
  constant.restart();
  kernel.restart(noise[curve]);
  nearest.restart(noise[neighbours]);
  logistic.restart();
}

template <class T>
bool ExactPaths::idle(std::size_t i, const History<T>& history) const {
  const double may_wait = i == bends ? bends_wait.rounds(history.size()) : 0;
  return static_cast<double>(ridge[i].waiting(history)) <= may_wait;
}

template <class T>
void ExactPaths::catch_up(const History<T>& history, const RoundWeights<T>& weights, std::size_t most) {
  constant.catch_up(history, weights, most);
  for (std::size_t i = 0; i < ridges; ++i)
    if (!idle(i, history)) ridge[i].catch_up(history, weights, most);
  kernel.catch_up(history, weights, most);
  nearest.catch_up(history, weights, most);
  logistic.catch_up(history, weights, most);
}

template <class T>
bool ExactPaths::up_to_date(const History<T>& history) const {
  bool all = constant.waiting(history) + kernel.waiting(history) + nearest.waiting(history) + logistic.waiting(history) == 0;
  for (std::size_t i = 0; i < ridges; ++i) all = all && idle(i, history);
  return all;
}

void ExactPaths::make_room(std::span<const Finished> rounds) {
  try {
    for (RidgePath& path : ridge) path.make_room(rounds);
  } catch (...) {
    give_back(rounds);
    throw;
  }
}

void ExactPaths::give_back(std::span<const Finished> rounds) noexcept {
  for (RidgePath& path : ridge) path.give_back(rounds);
}

std::size_t ExactPaths::memory() const {
  std::size_t bytes = constant.memory() + kernel.memory() + nearest.memory() + logistic.memory();
  for (const RidgePath& path : ridge) bytes += path.memory();
  return bytes;
}

void ExactPaths::save(Writer& out) const {
  for (const RidgePath& path : ridge) path.save(out);
  constant.save(out);
  kernel.save(out);
  nearest.save(out);
  logistic.save(out);
}

void ExactPaths::load(Reader& in) {
  for (std::size_t i = 0; i < ridges; ++i)
    if (Stacking::in_file(i + 1, in)) ridge[i].load(in);
    else ridge[i].restart(1);
  constant.load(in);
  kernel.load(in);
  if (in.version() >= Stacking::neighbours_since) nearest.load(in);
  if (in.version() >= LogisticPath::first_version) logistic.load(in);
}

template void ExactPaths::catch_up<float>(const History<float>&, const RoundWeights<float>&, std::size_t);
template void ExactPaths::catch_up<double>(const History<double>&, const RoundWeights<double>&, std::size_t);
template bool ExactPaths::up_to_date<float>(const History<float>&) const;
template bool ExactPaths::up_to_date<double>(const History<double>&) const;

}  // namespace neuralts
