// What is believed of each arm: a mean and a width per context. Beliefs times rules (rule.hpp) make policies.
//
// A predictor is what a decision needs; a belief learns and holds one. The simplest belief is its own predictor
// (CopiedBelief).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "neuralts/archive.hpp"
#include "neuralts/context.hpp"
#include "neuralts/learner.hpp"
#include "neuralts/scratch.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

class Predictor {
 public:
  virtual ~Predictor() = default;
  /// Mean and width (standard deviation, nu not applied) of every arm's reward. Const: any number of threads,
  /// each with its own scratch. `width` is empty when the rule has no use for it: then it is not computed.
  /// REQUIRES contexts checked against the shape; mean.size() == contexts.arms().
  virtual void predict(const Contexts& contexts, Scratch& scratch, std::span<double> mean,
                       std::span<double> width) const = 0;
  /// All that predict() reads, for Belief::read_predictor.
  virtual void save(Writer& out) const = 0;
};

/// A belief about one common parameter vector: its draws move all arms together.
class JointPredictor : public Predictor {
 public:
  /// Columns of the factors below.
  virtual std::size_t rank() const = 0;
  /// Mean and width as predict() gives them, and F (arms x rank, row-major): for xi ~ N(0, I) the vector mean +
  /// F xi is distributed as the arms' rewards are believed to be, correlations included.
  /// REQUIRES what predict() does, and all spans sized.
  virtual void predict_joint(const Contexts& contexts, Scratch& scratch, std::span<double> mean,
                             std::span<double> width, std::span<double> factors) const = 0;
};

/// What is to be kept of the past.
struct Retention {
  std::size_t last = SIZE_MAX;  ///< finished rounds, the latest ones
  double discount = 1;          ///< factor of a round's weight per round of age, the last one has age 0; in (0, 1]
};

class Belief {
 public:
  virtual ~Belief() = default;

  /// What is known now; changes with the verbs below.
  virtual const Predictor& predictor() const = 0;
  /// A copy of it that stays as it is.
  virtual std::shared_ptr<const Predictor> snapshot() const = 0;
  /// The predictor whose save() wrote `in`.
  virtual std::shared_ptr<const Predictor> read_predictor(Reader& in) const = 0;

  /// As Learner's, all checked.
  virtual void offered(const Contexts&) {}
  virtual void played(const Slice&) {}
  virtual void observe(std::span<const Finished> rounds) = 0;
  virtual bool training_due() const { return false; }
  /// Jobs are the library's networks. A belief with a training of its own adds none and trains in
  /// finish_training(), after which none may be due for the rounds there are.
  virtual void prepare_training(std::vector<TrainJob>&) {}
  virtual void finish_training() {}

  /// Lets go of what is older, in mean and width alike; a training may be due afterwards. False: it cannot,
  /// nothing has changed.
  virtual bool retain(const Retention&) { return false; }

  virtual std::size_t memory() const = 0;
  virtual std::vector<std::string> notes() const { return {}; }
  /// Everything that the verbs changed; load() REQUIRES a belief made with the same settings.
  virtual void save(Writer& out) const = 0;
  virtual void load(Reader& in) = 0;
};

/// A belief that is its own predictor: a snapshot is a copy of the whole, so what it holds must not grow with
/// the history. `Self` derives from it, can be copied, and has predict, observe, memory, save and load. `Base`:
/// Predictor or JointPredictor.
template <class Self, class Base = Predictor>
class CopiedBelief : public Belief, public Base {
 public:
  const Predictor& predictor() const final { return *this; }
  std::shared_ptr<const Predictor> snapshot() const final { return std::make_shared<Self>(self()); }
  std::shared_ptr<const Predictor> read_predictor(Reader& in) const final {
    auto copy = std::make_shared<Self>(self());
    copy->load(in);
    return copy;
  }
  void save(Writer& out) const override = 0;  // of the belief and the predictor: the same

 private:
  const Self& self() const { return static_cast<const Self&>(*this); }
};

}  // namespace neuralts
#pragma GCC visibility pop
