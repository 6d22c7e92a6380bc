// Networks trained side by side on one history, each on its own share of the rounds: one network is an ensemble of one.
#pragma once

#include "model/fit_settings.hpp"
#include "model/observations.hpp"

namespace neuralts {

struct EnsembleSettings {
  FitSettings fit;
  std::size_t members = 1;
  double keep = 1;  ///< probability with which a member keeps a round
};

template <class T>
class Ensemble {
 public:
  explicit Ensemble(const EnsembleSettings& settings);

  std::size_t size() const { return members_.size(); }
  std::size_t rounds() const { return observations_.history().size(); }
  const NetworkShape& shape() const { return settings_.fit.shape; }
  const Network<T>& network(std::size_t member) const { return members_[member].network; }
  const Observations<T>& observations() const { return observations_; }

  /// The rewards that one member expects. Const: any number of threads, each with its own scratch.
  void predict(std::size_t member, const Batch<T>& batch, Scratch& scratch, std::span<double> mean) const;

  /// Takes the rounds in and trains when the schedule says so; returns whether it did.
  bool learn(std::span<const Finished> rounds);

  std::size_t memory() const;
  void save(Writer& out) const;
  void load(Reader& in);

 private:
  struct Member {
    Network<T> network;
    Trainer<T> trainer;
    RoundWeights<T> weights;  // 0 for a round left out; empty when all are kept
    std::size_t kept = 0;
  };
  void deal(std::size_t block);
  void train(Member& member);
  Member make_member(std::size_t index) const;

  EnsembleSettings settings_;
  Observations<T> observations_;
  Schedule schedule_;
  Stream dealer_;  // decides who keeps which round
  std::vector<Member> members_;
};

}  // namespace neuralts
