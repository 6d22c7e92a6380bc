#include "model/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "math/simd.hpp"

namespace neuralts {

// Over the factor's rows only: extend_factor() calls it for a point that is stored but not yet in the factor.
void KernelBelief::kernel_row(const Slice& context, std::span<double> row) const {
  const double size = norm(context.values);
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] = blocks_[i] == context.block
                 ? settings_.function.same_block(context.values, size, point(i).values, norms_[i])
                 : settings_.function.other_block(size, norms_[i]);
}

// A shared context meets every point once: arms differ only in which points are of their own block.
void KernelBelief::kernel_rows(const Contexts& contexts, std::size_t first, std::size_t arms,
                               Scratch& scratch, std::span<double> rows) const {
  const std::size_t n = points();
  if (!contexts.shared() || shape_.blocks == 1) {
    for (std::size_t k = 0; k < arms; ++k) kernel_row(contexts[first + k], rows.subspan(k * n, n));
    return;
  }
  const auto own = scratch.take<double>(n), other = scratch.take<double>(n);
  const auto x = contexts[0].values;
  const double size = norm(x);
  for (std::size_t i = 0; i < n; ++i) {
    own[i] = settings_.function.same_block(x, size, point(i).values, norms_[i]);
    other[i] = settings_.function.other_block(size, norms_[i]);
  }
  for (std::size_t k = 0; k < arms; ++k)
    for (std::size_t i = 0; i < n; ++i)
      rows[k * n + i] = blocks_[i] == contexts[first + k].block ? own[i] : other[i];
}

void KernelBelief::predict(const Contexts& contexts, Scratch& scratch, std::span<double> mean,
                           std::span<double> width) const {
  // Arms that read the factor once: all of ten thousand would take 80 MB at a thousand points.
  constexpr std::size_t together = 512;
  const std::size_t n = points();
  for (std::size_t first = 0, arms = 0; first < contexts.arms(); first += arms) {
    arms = std::min(together, contexts.arms() - first);
    const std::size_t mark = scratch.mark();
    const auto rows = scratch.take<double>(arms * n);
    kernel_rows(contexts, first, arms, scratch, rows);
    factor_.solve(arms, rows.data(), n);
    for (std::size_t k = 0; k < arms; ++k) {
      const double* z = rows.data() + k * n;
      mean[first + k] = math::dot(n, z, whitened_.data());
      if (width.empty()) continue;
      const double prior = settings_.function.self(norm(contexts[first + k].values));
      width[first + k] = std::sqrt(std::max(0.0, prior - math::dot(n, z, z)));
    }
    scratch.rewind(mark);
  }
}

// Points that were added before an exception leave again; where old ones had to make room, all that there was
// comes back.
void KernelBelief::observe(std::span<const Finished> rounds) {
  const std::size_t before = points();
  const bool was_full = full_, replaces = settings_.replace && before + rounds.size() > settings_.cap;
  const std::unique_ptr<KernelBelief> backup = replaces ? std::make_unique<KernelBelief>(*this) : nullptr;
  try {
    take_in(rounds);
  } catch (...) {
    if (backup) *this = std::move(*backup);
    else truncate(before);
    full_ = was_full;
    throw;
  }
  watch_.see(rounds);
}

void KernelBelief::take_in(std::span<const Finished> rounds) {
  for (const Finished& round : rounds) {
    if (round.weight == 0) continue;
    if (points() == settings_.cap) {
      full_ = true;
      if (!settings_.replace) return;
      forget_oldest();
    }
    add(round);
  }
}

void KernelBelief::truncate(std::size_t points) noexcept {
  values_.resize(std::min(values_.size(), points * shape_.length));
  for (auto* list : {&norms_, &rewards_, &weights_, &whitened_}) list->resize(std::min(list->size(), points));
  blocks_.resize(std::min(blocks_.size(), points));
  factor_.truncate(std::min(factor_.size(), points));
}

void KernelBelief::add(const Finished& round) {
  values_.insert(values_.end(), round.context.values.begin(), round.context.values.end());
  norms_.push_back(norm(round.context.values));
  blocks_.push_back(static_cast<std::uint32_t>(round.context.block));
  rewards_.push_back(round.reward);
  weights_.push_back(round.weight);
  extend_factor();
}

// Takes the first point that is not yet in the factor into it. A weight w is a noise of
// lambda / w. In exact arithmetic the pivot is at least that.
void KernelBelief::extend_factor() {
  const std::size_t n = factor_.size();
  row_.resize(n);
  kernel_row(point(n), row_);
  factor_.solve(1, row_.data(), n);
  const double lambda = settings_.lambda / weights_[n];
  const double pivot = settings_.function.self(norms_[n]) + lambda - math::dot(n, row_.data(), row_.data());
  factor_.append(row_.data(), pivot, lambda);
  whitened_.push_back((rewards_[n] - math::dot(n, row_.data(), whitened_.data())) /
                      std::sqrt(std::max(pivot, lambda)));
}

// A tenth at a time: the factor is built anew, O(cap^3), so that a round costs O(cap^2) on average.
void KernelBelief::forget_oldest() {
  const auto gone = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, settings_.cap / 10));
  values_.erase(values_.begin(), values_.begin() + gone * static_cast<std::ptrdiff_t>(shape_.length));
  norms_.erase(norms_.begin(), norms_.begin() + gone);
  blocks_.erase(blocks_.begin(), blocks_.begin() + gone);
  rewards_.erase(rewards_.begin(), rewards_.begin() + gone);
  weights_.erase(weights_.begin(), weights_.begin() + gone);
  factor_.clear();
  whitened_.clear();
  while (factor_.size() < points()) extend_factor();
}

std::size_t KernelBelief::memory() const {
  const std::size_t numbers = values_.capacity() + norms_.capacity() + rewards_.capacity() +
                              weights_.capacity() + whitened_.capacity() + row_.capacity();
  return factor_.memory() + numbers * sizeof(double) + blocks_.capacity() * sizeof(std::uint32_t);
}

std::vector<std::string> KernelBelief::notes() const {
  auto notes = watch_.notes();
  if (!full_) return notes;
  const std::string cap = std::to_string(settings_.cap);
  notes.push_back(settings_.replace ? "the kernel belief met its cap of " + cap +
                                          " points: the oldest make room for new ones"
                                    : "the kernel belief met its cap of " + cap +
                                          " points and learns no more: raise cap, or set at_cap=replace");
  return notes;
}

void KernelBelief::save(Writer& out) const {
  out.values(rewards_);
  out.values(weights_);
  out.values(values_);
  out.values(blocks_);
  out.values(factor_.packed());
  out.values(whitened_);
  out.value<std::uint8_t>(full_);
}

void KernelBelief::load(Reader& in) {
  rewards_ = in.values<double>();
  const std::size_t n = points();
  if (n > settings_.cap) in.fail();
  weights_ = in.values<double>(n);
  values_ = in.values<double>(n * shape_.length);
  blocks_ = in.values<std::uint32_t>(n);
  if (std::any_of(blocks_.begin(), blocks_.end(),
                  [&](std::uint32_t block) { return block >= shape_.blocks; }))
    in.fail();
  factor_.restore(n, in.values<double>(n * (n + 1) / 2));
  whitened_ = in.values<double>(n);
  full_ = in.value<std::uint8_t>() != 0;
  norms_.clear();
  for (std::size_t i = 0; i < n; ++i) norms_.push_back(norm(point(i).values));
}

}  // namespace neuralts
