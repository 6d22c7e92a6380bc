// Networks trained side by side on one history, each on its own share of the rounds: one network is an ensemble
// of one.
#pragma once

#include "model/fit_settings.hpp"
#include "model/observations.hpp"
#include "neuralts/belief.hpp"

namespace neuralts {

struct EnsembleSettings {
  FitSettings fit;
  std::size_t members = 1;
  double keep = 1;  ///< probability with which a member keeps a round
};

/// Mean and standard deviation (unless `width` is empty) over the members' predictions, a row of arms each.
void summarise(std::span<const double> predictions, std::size_t members, std::span<double> mean,
               std::span<double> width);

/// What a decision needs of them.
template <class T>
class EnsemblePredictor final : public Predictor {
 public:
  explicit EnsemblePredictor(const EnsembleSettings& settings);

  std::size_t size() const { return networks_.size(); }
  std::size_t rounds() const { return rounds_; }  ///< finished
  const NetworkShape& shape() const { return networks_.front().shape(); }
  const Network<T>& network(std::size_t member) const { return networks_[member]; }
  const Scaling<T>& scaling() const { return scaling_; }

  /// The rewards that one member expects. `batch`: from scaling().map().
  void predict(std::size_t member, const Batch<T>& batch, Scratch& scratch, std::span<double> mean) const;
  /// Mean and standard deviation over the members.
  void predict(const Contexts& contexts, Scratch& scratch, std::span<double> mean,
               std::span<double> width) const override;
  void save(Writer& out) const override;
  void load(Reader& in);

  // The learner's side.
  Network<T>& network(std::size_t member) { return networks_[member]; }
  void set_scaling(const Scaling<T>& scaling) { scaling_ = scaling; }
  void set_rounds(std::size_t rounds) { rounds_ = rounds; }

 private:
  std::vector<Network<T>> networks_;
  Scaling<T> scaling_;
  std::size_t rounds_ = 0;
};

template <class T>
class Ensemble final : public Belief {
 public:
  explicit Ensemble(const EnsembleSettings& settings);

  const EnsemblePredictor<T>& predictor() const override { return known_; }
  std::shared_ptr<const Predictor> snapshot() const override {
    return std::make_shared<EnsemblePredictor<T>>(known_);
  }
  std::shared_ptr<const Predictor> read_predictor(Reader& in) const override;

  std::size_t rounds() const { return observations_.seen(); }  ///< finished, kept or not
  const History<T>& history() const { return observations_.history(); }
  const RoundWeights<T>& weights() const { return observations_.weights(); }  ///< empty: all 1

  void observe(std::span<const Finished> rounds) override;
  bool training_due() const override { return due_; }
  void prepare_training(std::vector<TrainJob>& jobs) override;
  void finish_training() override;
  bool retain(const Retention& retention) override;

  std::size_t memory() const override;
  void save(Writer& out) const override;
  void load(Reader& in) override;

 private:
  struct Member {
    FitState<T> state;
    RoundWeights<T> weights;  // 0 for a round left out; empty when all are kept
    double kept = 0;          // how many rounds its own count for
  };
  void deal(const Finished& round);
  void keep(const std::vector<KeptRows>& kept);
  void weigh(Member& member) const;
  void bound();
  bool schedule_asks() const;

  EnsembleSettings settings_;
  EnsemblePredictor<T> known_;
  Observations<T> observations_;
  Schedule schedule_;
  bool due_ = false;
  Stream dealer_;  // decides who keeps which round
  std::vector<Member> members_;
};

}  // namespace neuralts
