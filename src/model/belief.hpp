// What is believed of each arm: a mean and a width per context. Beliefs times rules make policies (src/policy).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "neuralts/context.hpp"
#include "neuralts/policy.hpp"
#include "neuralts/scratch.hpp"

namespace neuralts {

class Belief {
 public:
  virtual ~Belief() = default;

  /// Mean and width (standard deviation, nu not applied) of every arm's reward. Const: any number of threads, each with its
  /// own scratch. `width` is empty when the rule has no use for it: then it is not computed.
  /// REQUIRES contexts checked against the shape; mean.size() == contexts.arms().
  virtual void predict(const Contexts& contexts, Scratch& scratch, std::span<double> mean, std::span<double> width) const = 0;

  /// A context was played; its reward may follow.
  virtual void played(const Slice&) {}

  /// Finished rounds, all checked.
  virtual void learn(std::span<const Finished> rounds) = 0;

  virtual std::size_t memory() const = 0;
  virtual std::vector<std::string> notes() const { return {}; }

  /// Everything that played() and learn() changed; load() REQUIRES a belief made with the same settings.
  virtual void save(Writer& out) const = 0;
  virtual void load(Reader& in) = 0;
};

}  // namespace neuralts
