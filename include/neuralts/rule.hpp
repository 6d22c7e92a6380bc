// Rules: from a mean and a width per arm to a choice and the probability of every choice.
#pragma once

#include <memory>
#include <span>

#include "neuralts/model.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

class Rule {
 public:
  virtual ~Rule() = default;
  virtual bool needs_width() const = 0;
  /// Reads out.mean and out.width (one entry per arm); writes out.score, out.probabilities, out.arm,
  /// out.probability. Model::select holds what is written against its promise.
  virtual void choose(Stream& explore, Scratch& scratch, Decision& out) const = 0;
};

// REQUIRES everywhere: epsilon in [0, 1], the others finite and >= 0.
std::unique_ptr<Rule> make_greedy();                  ///< largest mean; ties shared evenly
std::unique_ptr<Rule> make_epsilon_greedy(double epsilon);
std::unique_ptr<Rule> make_ucb(double nu);            ///< largest mean + nu width; ties shared evenly
/// Largest mean + scale width^2, as the released linear UCB has it.
std::unique_ptr<Rule> make_variance_ucb(double scale);
/// Largest draw of N(mean, nu^2 width^2), arms independent; exact probabilities.
std::unique_ptr<Rule> make_thompson(double nu);
/// The same around mean + optimism nu width: arms of which little is known are tried sooner, with less chance.
std::unique_ptr<Rule> make_optimistic_thompson(double nu, double optimism);

/// The epsilon-greedy choice as a function, for an epsilon that changes from round to round.
void choose_epsilon_greedy(double epsilon, Stream& explore, Decision& out);

/// One of the arms whose score is the largest; the stream is asked only when there is more than one.
std::size_t draw_among_best(std::span<const double> score, Stream& explore);

}  // namespace neuralts
#pragma GCC visibility pop
