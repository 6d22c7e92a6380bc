#include "model/linear.hpp"

#include <algorithm>
#include <cmath>

#include "math/simd.hpp"

namespace neuralts {

LinearBelief::LinearBelief(const Shape& shape, double lambda, std::size_t remembers)
    : shape_(shape), lambda_(lambda), remembers_(remembers), blocks_(shape.blocks, Ridge(shape.length, lambda)) {}

void LinearBelief::predict(const Contexts& contexts, Scratch& scratch, std::span<double> mean,
                           std::span<double> width) const {
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

void LinearBelief::predict_joint(const Contexts& contexts, Scratch& scratch, std::span<double> mean,
                                 std::span<double> width, std::span<double> factors) const {
  const std::size_t distance = contexts.shared() ? 0 : shape_.length;
  blocks_[0].project_rows(contexts.arms(), contexts[0].values.data(), distance, scratch, factors.data());
  for (std::size_t k = 0; k < contexts.arms(); ++k) {
    const auto z = factors.subspan(k * rank(), rank());
    mean[k] = blocks_[0].mean(contexts[k].values);
    width[k] = std::sqrt(math::dot(z.size(), z.data(), z.data()));
  }
}

void LinearBelief::take_in(const Finished& round, double factor, std::vector<Ridge>& blocks) {
  if (round.weight > 0)
    blocks[round.context.block].add(round.context.values, round.reward, factor * round.weight, work_);
}

// What has to be allocated comes first, and leaves again where it cannot all be had; after that nothing can fail.
void LinearBelief::observe(std::span<const Finished> rounds) {
  work_.resize(shape_.length);
  if (remembers_ > 0) rounds_.append(rounds);
  try {
    for (const Finished& round : rounds)
      if (round.weight > 0) blocks_[round.context.block].begin();
  } catch (...) {
    for (const Finished& round : rounds) blocks_[round.context.block].end_unless_used();
    if (remembers_ > 0) rounds_.drop_last(rounds.size());
    throw;
  }
  for (const Finished& round : rounds) take_in(round, 1, blocks_);
  for (const Finished& round : rounds) blocks_[round.context.block].solve();
  watch_.see(rounds);
  if (rounds_.size() > remembers_ + remembers_ / 4) rounds_.keep_last(remembers_);
}

// Anew from the rounds themselves: nothing is ever subtracted, so nothing drifts.
bool LinearBelief::retain(const Retention& retention) {
  if (remembers_ == 0) return false;
  work_.resize(shape_.length);
  rounds_.keep_last(std::min(retention.last, remembers_));
  std::vector<Ridge> blocks(shape_.blocks, Ridge(shape_.length, lambda_));
  const auto rounds = rounds_.rounds();
  for (std::size_t i = 0; i < rounds.size(); ++i)
    take_in(rounds[i], retention.discount < 1 ? std::pow(retention.discount, static_cast<double>(rounds.size() - 1 - i)) : 1, blocks);
  for (Ridge& ridge : blocks) ridge.solve();
  blocks_.swap(blocks);
  return true;
}

std::size_t LinearBelief::memory() const {
  std::size_t bytes = rounds_.memory();
  for (const Ridge& ridge : blocks_) bytes += ridge.memory();
  return bytes;
}

void LinearBelief::save(Writer& out) const {
  for (const Ridge& ridge : blocks_) ridge.save(out);
  if (remembers_ > 0) rounds_.save(out);
}

void LinearBelief::load(Reader& in) {
  for (Ridge& ridge : blocks_) ridge.load(in);
  if (remembers_ > 0) rounds_.load(in, shape_);
}

}  // namespace neuralts
