#include "model/linear.hpp"

#include <cmath>

#include "math/simd.hpp"

namespace neuralts {

LinearBelief::LinearBelief(const Shape& shape, double lambda)
    : shape_(shape), blocks_(shape.blocks, Ridge(shape.length, lambda)), work_(shape.length) {}

void LinearBelief::predict(const Contexts& contexts, Scratch& scratch, std::span<double> mean, std::span<double> width) const {
  if (shape_.blocks == 1 && !width.empty())
    return predict_joint(contexts, scratch, mean, width, scratch.take<double>(contexts.arms() * rank()));
  const auto z = scratch.take<double>(shape_.length);
  for (std::size_t k = 0; k < contexts.arms(); ++k) {
    const Slice context = contexts[k];
    const Ridge& ridge = blocks_[context.block];
    mean[k] = ridge.mean(context.values);
    if (width.empty()) continue;
    ridge.project(context.values, z);
    width[k] = std::sqrt(math::dot(z.size(), z.data(), z.data()));
  }
}

void LinearBelief::predict_joint(const Contexts& contexts, Scratch& scratch, std::span<double> mean, std::span<double> width,
                                 std::span<double> factors) const {
  const std::size_t distance = contexts.shared() ? 0 : shape_.length;
  blocks_[0].project_rows(contexts.arms(), contexts[0].values.data(), distance, scratch, factors.data());
  for (std::size_t k = 0; k < contexts.arms(); ++k) {
    const auto z = factors.subspan(k * rank(), rank());
    mean[k] = blocks_[0].mean(contexts[k].values);
    width[k] = std::sqrt(math::dot(z.size(), z.data(), z.data()));
  }
}

void LinearBelief::observe(std::span<const Finished> rounds) {
  for (const Finished& round : rounds)
    if (round.weight > 0) blocks_[round.context.block].add(round.context.values, round.reward, round.weight, work_);
  for (const Finished& round : rounds) blocks_[round.context.block].solve();
}

std::size_t LinearBelief::memory() const {
  std::size_t bytes = 0;
  for (const Ridge& ridge : blocks_) bytes += ridge.memory();
  return bytes;
}

void LinearBelief::save(Writer& out) const {
  for (const Ridge& ridge : blocks_) ridge.save(out);
}

void LinearBelief::load(Reader& in) {
  for (Ridge& ridge : blocks_) ridge.load(in);
}

}  // namespace neuralts
