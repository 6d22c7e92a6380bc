// The width of the belief: sigma^2 = lambda g'U^-1 g / c  with  U = lambda I + sum_i g_i g_i' / c  over tangent
// features g. c is m in the paper, 1 in the released code.
//
// Letters: t rounds the design has seen, K arms asked about, p parameters, d block length, m units.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "neuralts/archive.hpp"
#include "model/network.hpp"
#include "neuralts/scratch.hpp"

namespace neuralts {

template <class T>
class Posterior {
 public:
  virtual ~Posterior() = default;
  /// sigma^2 of every context. Const: any number of threads, each with its own scratch.
  virtual void variance(const Features<T>& features, Scratch& scratch, std::span<double> out) const = 0;
  /// Whether asking about many contexts in one call reads less than asking about them one by one.
  virtual bool batching_helps() const { return true; }
  /// What a decision between so many arms asks: another form where this one would cost too much, said in note().
  virtual const Posterior& form_for(std::size_t /*arms*/) const { return *this; }
  /// For one that grows no more and is asked often: variance() may then cost less time, and differ by rounding.
  /// load() undoes it.
  virtual void prepare() {}
  /// Whether it stands on features that a new scaling leaves behind: it is then to be made anew from the rounds.
  virtual bool has_basis() const { return false; }
  /// U += sum w g g' / c over the batch. REQUIRES weights above 0. A call that throws, for want of memory,
  /// leaves a posterior that can be asked and restarted; how much of the batch it counts is not said.
  virtual void grow(const Features<T>& features) = 0;
  /// log det U.
  virtual double log_det() const = 0;
  virtual std::size_t memory() const = 0;
  /// A remark for the user, once there is one (a fallback was taken); empty until then.
  virtual std::string note() const { return {}; }
  virtual void restart(double lambda) = 0;
  virtual std::unique_ptr<Posterior<T>> clone() const = 0;
  virtual void save(Writer& out) const = 0;
  virtual void load(Reader& in) = 0;
};

struct PosteriorSettings {
  NetworkShape shape;
  double lambda = 1;
  double normaliser = 1;                                  ///< c
  /// Bytes the exact posterior may hold when it may be bounded.
  std::size_t budget = std::size_t{64} << 20;
  /// Multiplications a decision may cost then; 0: any number.
  double work = 0;
  bool double_factor = false;                             ///< factors in float64 whatever T is
};

/// Time K d m a decision, d m a round (L = 2; p in general); memory 3 p numbers.
template <class T>
std::unique_ptr<Posterior<T>> make_diagonal_posterior(const PosteriorSettings& settings);

/// Exact. Time min(t^2, K (d m)^2) a decision (all arms together) and a round; memory half as many numbers.
/// `bounded`: once it would outgrow settings.budget, a bounded approximation instead; for decisions that would
/// cost more than settings.work, the last layer exact and the diagonal of the rest. Both are said in note().
template <class T>
std::unique_ptr<Posterior<T>> make_exact_posterior(const PosteriorSettings& settings, bool bounded);

}  // namespace neuralts
