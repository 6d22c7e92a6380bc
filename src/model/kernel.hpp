// The kernel belief: mean k'(K + lambda I)^-1 r, variance k(x, x) - k'(K + lambda I)^-1 k.
//
// Letters: n points held, K their kernel matrix, L L' = K + lambda I, k the kernel of a context with the
// points, z = L^-1 k, y = L^-1 r. Then mean = z.y and variance = k(x, x) - z.z: no other solution is ever needed.
// A decision costs O(arms n^2), a learned round O(n^2); memory is bounded by the cap on n.
#pragma once

#include <cstdint>

#include "model/offset_watch.hpp"
#include "math/growing_cholesky.hpp"
#include "neuralts/belief.hpp"
#include "model/kernel_function.hpp"

namespace neuralts {

struct KernelSettings {
  KernelFunction function;
  double lambda = 1;
  std::size_t cap = 1000;  ///< points held at most
  bool replace = false;    ///< at the cap the oldest tenth makes room; otherwise learning stops there
};

class KernelBelief final : public CopiedBelief<KernelBelief> {
 public:
  KernelBelief(const Shape& shape, const KernelSettings& settings) : shape_(shape), settings_(settings) {}

  void predict(const Contexts& contexts, Scratch& scratch, std::span<double> mean,
               std::span<double> width) const override;
  void observe(std::span<const Finished> rounds) override;
  std::size_t memory() const override;
  std::vector<std::string> notes() const override;
  void save(Writer& out) const override;
  void load(Reader& in) override;

  std::size_t points() const { return rewards_.size(); }

 private:
  Slice point(std::size_t i) const {
    return {std::span(values_).subspan(i * shape_.length, shape_.length), blocks_[i]};
  }
  void kernel_row(const Slice& context, std::span<double> row) const;
  void kernel_rows(const Contexts& contexts, std::size_t first, std::size_t arms, Scratch& scratch,
                   std::span<double> rows) const;
  void take_in(std::span<const Finished> rounds);
  void truncate(std::size_t points) noexcept;
  void add(const Finished& round);
  void extend_factor();
  void forget_oldest();

  Shape shape_;
  KernelSettings settings_;
  std::vector<double> values_, norms_, rewards_, weights_;  // points x d, then one per point
  std::vector<std::uint32_t> blocks_;
  math::GrowingCholesky<double> factor_;
  std::vector<double> whitened_;  // y
  OffsetWatch watch_{shape_.length};
  std::vector<double> row_;       // working memory of learn()
  bool full_ = false;             // the cap was met
};

}  // namespace neuralts
