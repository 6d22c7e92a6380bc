// What a training carries over to the next one, and what one that is undone goes back to.
#include <algorithm>
#include <cmath>

#include "math/simd.hpp"
#include "model/fit.hpp"

namespace neuralts {

template <class T>
double size_of(std::span<const T> numbers) {
  return std::sqrt(static_cast<double>(math::dot(numbers.size(), numbers.data(), numbers.data())));
}

template <class T>
FitState<T>::FitState(const TrainerSettings& settings, const Network<T>& initial, std::uint64_t seed)
    : theta0(initial.theta().begin(), initial.theta().end()),
      first(settings.optimiser == Optimiser::descent ? 0 : theta0.size()),
      second(settings.optimiser == Optimiser::adam ? theta0.size() : 0),
      stream(seed, Purpose::training),
      theta0_size(size_of(std::span<const T>(theta0))) {}

template <class T>
void FitState<T>::forget_moments() {
  std::fill(first.begin(), first.end(), T(0));
  std::fill(second.begin(), second.end(), T(0));
  steps = 0;
}

template <class T>
void FitState<T>::save(Writer& out) const {
  out.values(theta0);
  out.values(first);
  out.values(second);
  out.value(steps);
  out.value(stream.state());
  out.value(diverged);
}

template <class T>
void FitState<T>::load(Reader& in) {
  theta0 = in.values<T>(theta0.size());
  first = in.values<T>(first.size());
  second = in.values<T>(second.size());
  steps = in.value<std::uint64_t>();
  stream = Stream(in.value<Stream::State>());
  diverged = in.value<std::uint64_t>();
  theta0_size = size_of(std::span<const T>(theta0));
}

template <class T>
Before<T>::Before(const FitJob<T>& job, bool with_state)
    : theta(job.network->theta().begin(), job.network->theta().end()) {
  if (with_state) state.emplace(*job.state);
}

template <class T>
void Before<T>::restore(FitJob<T>& job) const {
  std::copy(theta.begin(), theta.end(), job.network->mutable_theta().begin());
  job.network->refresh();
  if (state) *job.state = *state;
}

template double size_of<float>(std::span<const float>);
template double size_of<double>(std::span<const double>);
template struct Before<float>;
template struct Before<double>;
template struct FitState<float>;
template struct FitState<double>;

}  // namespace neuralts
