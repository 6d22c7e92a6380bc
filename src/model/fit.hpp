// One training job on this processor.
//
// Cost of a step: 4 n d m + 6 n m^2 (L - 2) operations over all n rounds, in tiles that stay in cache; memory:
// 2 to 4 p numbers. Descent and momentum over blocks of fewer rounds than columns train layer 1 in the span of
// its rows where that is cheaper: the same steps up to rounding, 2 n^2 m / K operations instead of 4 n d m
// (row_span.hpp).
#pragma once

#include <optional>
#include <vector>

#include "model/train.hpp"

namespace neuralts {

/// |numbers|
template <class T>
double size_of(std::span<const T> numbers);

/// How a training ended.
enum class Fitted { done, diverged, stopped };

/// What a training that is undone goes back to.
template <class T>
struct Before {
  std::vector<T> theta;
  std::optional<FitState<T>> state;  ///< only where a stop can ask for it back: a divergence clears the moments

  Before(const FitJob<T>& job, bool with_state);
  void restore(FitJob<T>& job) const;
};

/// Runs the job on how.threads threads, with the same bits for any number of them. Unless done, network and
/// state are as they were, but for FitState::diverged. Where it throws, for want of memory, the weights are as
/// they were; the moments may be forgotten.
template <class T>
Fitted fit(FitJob<T>& job, const Training& how);

}  // namespace neuralts
