// Knowing: a model decides and never changes.
//
//   std::shared_ptr<const Model> model = learner.publish();
//   model->select(contexts, explore, scratch, decision);     // any number of threads, each with its own stream and scratch
//
// A model holds what a decision needs and nothing else: making one costs parameters, not history. A server
// swaps models while it decides; a file of one is small (save_model).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "neuralts/context.hpp"
#include "neuralts/policy_spec.hpp"
#include "neuralts/random.hpp"
#include "neuralts/scratch.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

class Writer;

/// What was chosen and why. Vectors have one entry per arm offered.
struct Decision {
  std::size_t arm = 0;
  double probability = 0;             ///< of `arm`
  bool estimated = false;             ///< the probabilities are an estimate (a joint draw has no closed form)
  std::vector<double> probabilities;  ///< with which the policy would have chosen each arm; they sum to 1
  std::vector<double> mean;           ///< believed reward
  std::vector<double> width;          ///< standard deviation of the believed reward, nu not applied
  std::vector<double> score;          ///< what the rule compared: a draw, a bound, the mean
};

/// What a model says of itself: the specification and every parameter with the value in force (preset and
/// defaults resolved).
struct ModelHead {
  PolicySpec spec;
  Params resolved;
  double floor = 0;  ///< the least probability of every arm offered, at most an even share
};

class Model {
 public:
  virtual ~Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// Chooses an arm into `out`, whose vectors are reused. Changes nothing but `explore`, `scratch` and `out`.
  /// Throws ContractError, before anything is drawn, for no arms, a wrong size, or a number that is not finite;
  /// also, as if nothing had been drawn, when do_select() left something that is no decision: a number that is not
  /// finite, an arm that was not offered, probabilities that do not sum to 1 (within 1e-6).
  void select(const Contexts& contexts, Stream& explore, Scratch& scratch, Decision& out) const;

  const PolicySpec& spec() const { return head_->spec; }
  const Params& resolved() const { return head_->resolved; }
  const Shape& shape() const { return head_->spec.shape; }
  const std::shared_ptr<const ModelHead>& head() const { return head_; }

  /// What a decision needs, for Learner::read_model.
  virtual void save(Writer& out) const = 0;

 protected:
  explicit Model(std::shared_ptr<const ModelHead> head) : head_(std::move(head)) {}
  /// The checked half of select(). Finds all vectors of `out` sized to the number of arms and filled with 0; fills
  /// them, `arm` and `probability`.
  virtual void do_select(const Contexts& contexts, Stream& explore, Scratch& scratch, Decision& out) const = 0;

 private:
  std::shared_ptr<const ModelHead> head_;
};

/// A model in a file or in memory: no history, so it decides but does not go on learning.
/// A damaged file throws Error(corrupt) and loads nothing.
void save_model(const Model& model, const std::string& path);
std::shared_ptr<const Model> load_model(const std::string& path);
std::vector<char> model_to_bytes(const Model& model);
/// `where` names the bytes in errors.
std::shared_ptr<const Model> model_from_bytes(std::span<const char> bytes, const std::string& where);

}  // namespace neuralts
#pragma GCC visibility pop
