#include "model/ridge_path.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "math/hats.hpp"
#include "math/second_degree.hpp"
#include "math/simd.hpp"

namespace neuralts {

namespace {
constexpr std::size_t panel = 8;  // rounds taken in together
// Of bends: places of a column; how far from the middle there are any, in standard deviations; how high a hat is, all
// columns together.
constexpr double fewest_places = 9, most_places = 17, reach = 2, height = 1.4;
}

RidgePath::RidgePath(const Shape& shape, Basis basis, bool wanted)
    : shape_(shape), basis_(basis), plays_(shape.blocks), cursor_(shape.blocks) {
  if (!wanted) return;
  const double affordable_work = basis == Basis::line ? 1e6 : 2e5;
  const double longest = std::sqrt(affordable_work / static_cast<double>(shape.blocks));
  if (basis == Basis::bends) {
    const double places = (longest - 1) / static_cast<double>(shape.length) - 1;
    if (places < fewest_places) return;
    places_ = static_cast<std::size_t>(std::min(places, most_places));
  }
  if (static_cast<double>(length()) <= longest) blocks_.assign(shape.blocks, Ridge(length(), lambda_));
}

std::size_t RidgePath::length() const {
  const std::size_t d = shape_.length;
  switch (basis_) {
    case Basis::line: return d + 1;
    case Basis::curve: return math::second_degree_length(d);
    case Basis::bends: return math::hats_length(d, places_);
  }
  return 0;
}

void RidgePath::restart(double lambda, double beyond) {
  lambda_ = lambda, beyond_ = beyond;
  inverse_ = {};
  blocks_.assign(blocks_.size(), Ridge(length(), lambda));
  plays_.assign(plays_.size(), 0);
  cursor_.restart();
}

template <class T>
void RidgePath::catch_up(const History<T>& history, const RoundWeights<T>& weights, std::size_t most) {
  if (affordable()) phi_.resize(panel * length());
  cursor_.advance(history, most, [&](std::size_t k, std::size_t first, std::size_t last) {
    if (affordable()) {
      take_in<T>(history.blocks()[k], weights.empty() ? nullptr : weights[k].data(), first, last, blocks_[k]);
      blocks_[k].solve();
    }
    plays_[k] += last - first;
  });
}

void RidgePath::make_room(std::span<const Finished> rounds) {
  if (!affordable()) return;
  phi_.resize(panel * length());
  for (const Finished& round : rounds)
    if (round.weight > 0) blocks_[round.context.block].begin();
}

void RidgePath::give_back(std::span<const Finished> rounds) noexcept {
  for (const Finished& round : rounds)
    if (affordable()) blocks_[round.context.block].end_unless_used();
}

// Rows from `first` to before `last`, a panel at a time; those of weight 0 do not count.
template <class T>
void RidgePath::take_in(const typename History<T>::Block& rounds, const T* weights, std::size_t first,
                        std::size_t last, Ridge& ridge) {
  std::array<double, panel> some_rewards, some_weights;
  for (std::size_t row = first; row < last;) {
    std::size_t n = 0;
    for (; n < panel && row < last; ++row) {
      some_weights[n] = weights == nullptr ? 1 : static_cast<double>(weights[row]);
      if (!(some_weights[n] > 0)) continue;
      some_rewards[n] = static_cast<double>(rounds.rewards[row]);
      if (beyond_ > 0 && !rounds.beyond.empty()) some_rewards[n] -= beyond_ * static_cast<double>(rounds.beyond[row]);
      features(rounds.x.data() + row * shape_.length, phi_.data() + n++ * length());
    }
    if (n > 0) ridge.add_rows(n, phi_.data(), some_rewards.data(), some_weights.data());
  }
}

template <class T>
void RidgePath::features(const T* x, double* out) const {
  if (basis_ == Basis::curve) return math::second_degree(shape_.length, x, out);
  if (basis_ == Basis::bends) {
    const double root = std::sqrt(static_cast<double>(shape_.length));
    return math::hats(shape_.length, x, places_, reach / root, height / root, out);
  }
  std::copy_n(x, shape_.length, out);
  out[shape_.length] = 1;
}

template <class T>
void RidgePath::ask(const T* x, std::size_t ldx, std::size_t block, Scratch& scratch, std::span<double> mean,
                    std::span<double> left) const {
  const std::size_t q = length(), mark = scratch.mark();
  const auto phi = scratch.take<double>(mean.size() * q);
  for (std::size_t k = 0; k < mean.size(); ++k) {
    features(x + k * ldx, phi.data() + k * q);
    mean[k] = blocks_[block].mean(phi.subspan(k * q, q));
  }
  if (!left.empty()) {
    if (inverse_.empty())
      left_of(phi, block, scratch, left);
    else
      left_prepared(phi, scratch, left);
  }
  scratch.rewind(mark);
}

void RidgePath::left_of(std::span<const double> phi, std::size_t block, Scratch& scratch,
                        std::span<double> out) const {
  const std::size_t q = length();
  const auto work = scratch.take<double>(phi.size());
  blocks_[block].project_few(out.size(), phi.data(), q, work.data());
  for (std::size_t k = 0; k < out.size(); ++k) {
    const double *const z = work.data() + k * q, *const x = phi.data() + k * q;
    out[k] = std::min(1.0, lambda_ * math::dot(q, z, z) / math::dot(q, x, x));
  }
}

void RidgePath::prepare() {
  std::vector<float> inverse(length() * length());
  blocks_.front().inverse_factor(inverse);
  inverse_ = math::UpperPanels(length(), inverse.data());
}

void RidgePath::left_prepared(std::span<const double> phi, Scratch& scratch, std::span<double> out) const {
  const std::size_t q = length();
  inverse_.squares(out.size(), phi.data(), scratch.take<float>(inverse_.working_size()), out.data());
  for (std::size_t k = 0; k < out.size(); ++k) {
    const double* const x = phi.data() + k * q;
    out[k] = std::min(1.0, lambda_ * out[k] / math::dot(q, x, x));
  }
}

std::size_t RidgePath::memory() const {
  std::size_t bytes = plays_.size() * sizeof(std::uint64_t) + cursor_.memory() + inverse_.memory();
  for (const Ridge& block : blocks_) bytes += block.memory();
  return bytes;
}

void RidgePath::save(Writer& out) const {
  out.value(lambda_);
  out.value(beyond_);
  out.values(plays_);
  cursor_.save(out);
  for (const Ridge& block : blocks_) block.save(out);
}

void RidgePath::load(Reader& in) {
  lambda_ = in.value<double>();
  restart(lambda_, in.version() >= beyond_since ? in.value<double>() : 0);
  plays_ = in.values<std::uint64_t>(plays_.size());
  cursor_.load(in);
  for (Ridge& block : blocks_) block.load(in);
}

template void RidgePath::catch_up<float>(const History<float>&, const RoundWeights<float>&, std::size_t);
template void RidgePath::catch_up<double>(const History<double>&, const RoundWeights<double>&, std::size_t);
template void RidgePath::ask<float>(const float*, std::size_t, std::size_t, Scratch&, std::span<double>,
                                    std::span<double>) const;
template void RidgePath::ask<double>(const double*, std::size_t, std::size_t, Scratch&, std::span<double>,
                                     std::span<double>) const;

}  // namespace neuralts
