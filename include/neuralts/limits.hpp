// How large numbers may be.
#pragma once

#pragma GCC visibility push(default)
namespace neuralts {

/// The largest absolute value of a context's number and of a reward, and the largest weight. Policies keep
/// histories in single precision and sum squares: 1e15 squared, times a hundred million terms, is still a
/// float; and up to here a double tells neighbouring whole numbers apart. What is larger is refused by
/// Contexts::check, check_slice and Learner::observe, with this number in the message, before anything changes.
inline constexpr double largest_number = 1e15;

/// Throws ContractError for a reward that is not finite or larger than `largest_number`.
void check_reward(double reward);

}  // namespace neuralts
#pragma GCC visibility pop
