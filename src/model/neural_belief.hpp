// The neural belief: mean from a network trained on finished rounds, width from the network's tangent features.
#pragma once

#include <cstdint>
#include <memory>

#include "model/belief.hpp"
#include "model/fit_settings.hpp"
#include "model/observations.hpp"
#include "model/posterior.hpp"

namespace neuralts {

enum class PosteriorKind { automatic, exact, diagonal };
enum class Design { played, rewarded };
enum class Grow { before_training, after_training };

struct NeuralSettings : FitSettings {
  std::vector<double> theta0;  ///< given weights instead of an initialisation; empty: none given

  PosteriorKind posterior = PosteriorKind::automatic;
  PosteriorSettings design_width;
  Design design = Design::rewarded;        ///< which event grows U
  Grow grow = Grow::after_training;        ///< U at theta_{t-1} or at theta_t; only for Design::rewarded

  bool calibrate = false;     ///< width in units of the recent residuals' standard deviation, at most the rewards' own
  std::size_t vigilance = 0;  ///< v: width times 1 + min(100, (mean^2 / 12 sd^2)^2) v / (v + t) of the rewards so far, when they are standardised
  bool doubling = false;      ///< restart at t = 2^s: the doubling trick for an unknown horizon
};

/// T: float or double, of the network and the features.
template <class T>
class NeuralBelief final : public Belief {
 public:
  explicit NeuralBelief(const NeuralSettings& settings);

  void predict(const Contexts& contexts, Scratch& scratch, std::span<double> mean, std::span<double> width) const override;
  void played(const Slice& context) override;
  void learn(std::span<const Finished> rounds) override;

  std::size_t memory() const override;
  std::vector<std::string> notes() const override;
  void save(Writer& out) const override;
  void load(Reader& in) override;

  const Network<T>& network() const { return network_; }
  const Posterior<T>& posterior() const { return *posterior_; }

 private:
  std::size_t part(const Contexts& contexts) const;
  void predict(const Batch<T>& batch, Scratch& scratch, std::span<double> mean, std::span<double> width) const;
  void observe(const Finished& round);
  void count_residual(const Finished& round);
  double noise() const;
  double vigilance() const;
  void train_when_due();
  void grow(std::span<const Finished> rounds);
  void grow(const Batch<T>& batch);
  void restart();

  NeuralSettings settings_;
  Observations<T> observations_;
  Network<T> network_;
  Trainer<T> trainer_;
  std::unique_ptr<Posterior<T>> posterior_;
  Schedule schedule_;
  double residual_ = 0;       // mean squared residual of recent rounds, in the rewards' unit
  std::size_t observed_ = 0;  // finished rounds, over all restarts
  std::size_t epoch_ = 1;     // the doubling trick restarts when twice as many are finished
  std::vector<T> row_, feature_;
  Scratch scratch_;
};

}  // namespace neuralts
