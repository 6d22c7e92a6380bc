// The default belief, as it learns: a network (NeuralBelief) and exact paths beside it, weighed against each other
// by how well each forecasts every finished round before it is learned from. StackedPredictor says what is made
// of it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "model/arm_means.hpp"
#include "model/early_kernel.hpp"
#include "model/neural_belief.hpp"
#include "model/stacked_predictor.hpp"

namespace neuralts {

template <class T>
class StackedBelief final : public Belief {
 public:
  explicit StackedBelief(const NeuralSettings& settings);
  StackedBelief(const StackedBelief&) = delete;
  StackedBelief& operator=(const StackedBelief&) = delete;

  const StackedPredictor<T>& predictor() const override { return known_; }
  std::shared_ptr<const Predictor> snapshot() const override;
  std::shared_ptr<const Predictor> read_predictor(Reader& in) const override;

  void offered(const Contexts& contexts) override;
  void played(const Slice& context) override { network_.played(context); }
  void observe(std::span<const Finished> rounds) override;
  bool training_due() const override { return network_.training_due(); }
  void prepare_training(std::vector<TrainJob>& jobs) override { network_.prepare_training(jobs); }
  void finish_training() override;
  bool retain(const Retention& retention) override;

  std::size_t memory() const override;
  std::vector<std::string> notes() const override { return network_.notes(); }
  void save(Writer& out) const override;
  void load(Reader& in) override;

 private:
  /// Returns what the others say of it beyond the line, in the rewards' unit.
  double compare(const Finished& round);
  double count_beyond(double beyond, double missed);
  /// Whom, from what was counted.
  void believe();
  /// Takes all memory that observe() needs, so that nothing has changed where there is none.
  void make_room(std::span<const Finished> rounds);
  void catch_up();
  /// What was counted in the rewards' old unit and zero, in those of the scaling as it is.
  void follow_scaling();
  bool catching_up_due() const;
  std::size_t ridge_rounds(std::uint64_t seen) const { return static_cast<std::size_t>(ridge_.rounds(seen)); }
  /// The paths' part of what NeuralBelief::rescaling() says, for so many rounds that came.
  void go_on_rescaling(std::size_t rounds);
  void finish_rescaling();
  /// The paths begin anew on that scale.
  void restart(ExactPaths& paths, const Scaling<T>& scaling) const;
  /// The noise's share of the rewards' variance, as each ridge sees it.
  ExactPaths::Noises noises(const Scaling<T>& scaling) const;
  void wonder();
  void hear_early();
  /// Contexts' sizes, for a file that has none.
  void meet_again();

  Pace ridge_;
  NeuralBelief<T> network_;
  EarlyKernel early_;
  StackedPredictor<T> known_;
  Stacking stacking_;
  PartStacking parts_;
  Hopes hopes_;
  double beyond_gain_ = 0;  // sum with forgetting: of what the line misses less where the rest is told it, squared
  ArmMeans arm_means_;
  ExactPaths::Noises squared_error_{};  // one step ahead, mean over recent rounds, in the rewards' unit
  double unit_ = 0, level_ = 0;         // of the rewards that stacking_ has counted; no unit: none
  std::uint64_t compared_ = 0;          // rounds
  std::uint64_t fitted_ = 0;            // rounds of the scaling that the paths stand on
  struct Rescaled {
    ExactPaths paths;     // on the new scale, as far as they have come
    std::uint64_t begun;  // NeuralBelief::rescalings_begun() they belong to
  };
  std::unique_ptr<Rescaled> new_rescaled() const;
  std::unique_ptr<Rescaled> rescaled_;
  Scratch scratch_;
  std::vector<double> beyond_;  // of the rounds observed now
};

}  // namespace neuralts
