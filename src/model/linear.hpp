// The linear belief: mean x'A^-1 X'r, variance x'A^-1 x, A = lambda I + X'X.
//
// Disjoint contexts make A block diagonal: one small problem per block, O(d^2) per learned round and per arm
// offered.
#pragma once

#include "model/offset_watch.hpp"
#include "neuralts/belief.hpp"
#include "model/ridge.hpp"
#include "model/round_list.hpp"

namespace neuralts {

class LinearBelief final : public CopiedBelief<LinearBelief, JointPredictor> {
 public:
  /// `remembers`: how many of the latest rounds are kept for retain(); 0: none, and it cannot.
  LinearBelief(const Shape& shape, double lambda, std::size_t remembers = 0);

  void predict(const Contexts& contexts, Scratch& scratch, std::span<double> mean,
               std::span<double> width) const override;
  void observe(std::span<const Finished> rounds) override;
  bool retain(const Retention& retention) override;
  std::vector<std::string> notes() const override { return watch_.notes(); }
  std::size_t memory() const override;
  void save(Writer& out) const override;
  void load(Reader& in) override;

  std::size_t rank() const override { return shape_.length; }
  /// REQUIRES one block: contexts in different blocks do not share a parameter.
  void predict_joint(const Contexts& contexts, Scratch& scratch, std::span<double> mean, std::span<double> width,
                     std::span<double> factors) const override;

 private:
  void take_in(const Finished& round, double factor, std::vector<Ridge>& blocks);

  Shape shape_;
  double lambda_;
  std::size_t remembers_;
  std::vector<Ridge> blocks_;
  RoundList rounds_;  // the latest, with forgetting
  OffsetWatch watch_{shape_.length};
  std::vector<double> work_;  // from the first round on: a file may claim any length
};

}  // namespace neuralts
