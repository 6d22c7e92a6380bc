// The linear belief: mean x'A^-1 X'r, variance x'A^-1 x, A = lambda I + X'X.
//
// Disjoint contexts make A block diagonal: one small problem per block, O(d^2) per learned round and per arm offered.
#pragma once

#include "neuralts/belief.hpp"
#include "model/ridge.hpp"

namespace neuralts {

class LinearBelief final : public CopiedBelief<LinearBelief, JointPredictor> {
 public:
  LinearBelief(const Shape& shape, double lambda);

  void predict(const Contexts& contexts, Scratch& scratch, std::span<double> mean, std::span<double> width) const override;
  void observe(std::span<const Finished> rounds) override;
  std::size_t memory() const override;
  void save(Writer& out) const override;
  void load(Reader& in) override;

  std::size_t rank() const override { return shape_.length; }
  /// REQUIRES one block: contexts in different blocks do not share a parameter.
  void predict_joint(const Contexts& contexts, Scratch& scratch, std::span<double> mean, std::span<double> width,
                     std::span<double> factors) const override;

 private:
  Shape shape_;
  std::vector<Ridge> blocks_;
  std::vector<double> work_;
};

}  // namespace neuralts
