#include "model/ridge_path.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "math/simd.hpp"

namespace neuralts {

namespace {
constexpr std::size_t panel = 8;  // rounds taken in together
}

RidgePath::RidgePath(const Shape& shape, int degree)
    : shape_(shape), degree_(degree), plays_(shape.blocks), cursor_(shape.blocks) {
  const double affordable_work = degree == 1 ? 1e6 : 2e5;
  const double q = static_cast<double>(length());
  if (static_cast<double>(shape.blocks) * q * q <= affordable_work)
    blocks_.assign(shape.blocks, Ridge(length(), lambda_));
}

std::size_t RidgePath::length() const {
  const std::size_t d = shape_.length;
  return degree_ == 1 ? d + 1 : (d + 1) * (d + 2) / 2;
}

void RidgePath::restart(double lambda) {
  lambda_ = lambda;
  inverse_.clear();
  blocks_.assign(blocks_.size(), Ridge(length(), lambda));
  plays_.assign(plays_.size(), 0);
  cursor_.restart();
}

template <class T>
void RidgePath::catch_up(const History<T>& history, const RoundWeights<T>& weights, std::size_t most) {
  phi_.resize(panel * length());
  cursor_.advance(history, most, [&](std::size_t k, std::size_t first, std::size_t last) {
    if (affordable()) {
      take_in<T>(history.blocks()[k], weights.empty() ? nullptr : weights[k].data(), first, last, blocks_[k]);
      blocks_[k].solve();
    }
    plays_[k] += last - first;
  });
}

void RidgePath::make_room(std::span<const Finished> rounds) {
  phi_.resize(panel * length());
  for (const Finished& round : rounds)
    if (affordable() && round.weight > 0) blocks_[round.context.block].begin();
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
      features(rounds.x.data() + row * shape_.length, std::span(phi_).subspan(n++ * length(), length()));
    }
    if (n > 0) ridge.add_rows(n, phi_.data(), some_rewards.data(), some_weights.data());
  }
}

template <class T>
void RidgePath::features(const T* x, std::span<double> out) const {
  const std::size_t d = shape_.length;
  std::copy_n(x, d, out.begin());
  out[d] = 1;
  if (degree_ == 1) return;
  for (std::size_t i = 0; i < d; ++i) out[i] *= std::numbers::sqrt2;
  double* to = out.data() + d + 1;
  for (std::size_t i = 0; i < d; to += d - i, ++i) {  // plain loops over arrays: they become vector code
    const double xi = static_cast<double>(x[i]), factor = std::numbers::sqrt2 * xi;
    const T* const others = x + i;
    to[0] = xi * xi;
    for (std::size_t j = 1; j < d - i; ++j) to[j] = factor * static_cast<double>(others[j]);
  }
}

void RidgePath::left(std::span<const double> phi, std::size_t block, std::span<double> work,
                     std::span<double> out) const {
  const std::size_t q = length();
  if (!inverse_.empty()) return left_prepared(phi, work, out);
  blocks_[block].project_few(out.size(), phi.data(), q, work.data());
  for (std::size_t k = 0; k < out.size(); ++k) {
    const double *const z = work.data() + k * q, *const x = phi.data() + k * q;
    out[k] = std::min(1.0, lambda_ * math::dot(q, z, z) / math::dot(q, x, x));
  }
}

void RidgePath::prepare() {
  inverse_.resize(length() * length());
  blocks_.front().inverse_factor(inverse_);
}

// z' = phi'R^-1, a few columns at a time: below its diagonal R^-1 has nothing.
void RidgePath::left_prepared(std::span<const double> phi, std::span<double> work, std::span<double> out) const {
  constexpr std::size_t columns = 48;
  const std::size_t q = length(), n = out.size();
  float* const x = reinterpret_cast<float*>(work.data());  // two rows of single precision fit into one of double
  float* const z = x + n * q;
  std::copy(phi.begin(), phi.end(), x);
  for (std::size_t first = 0; first < q; first += columns) {
    const std::size_t some = std::min(columns, q - first);
    math::gemm<float>(n, some, first + some, x, q, 1, inverse_.data() + first, q, 0, z + first, q);
  }
  for (std::size_t k = 0; k < n; ++k) {
    const double square = static_cast<double>(math::dot(q, z + k * q, z + k * q)),
                 size = static_cast<double>(math::dot(q, x + k * q, x + k * q));
    out[k] = std::min(1.0, lambda_ * square / size);
  }
}

std::size_t RidgePath::memory() const {
  std::size_t bytes = plays_.size() * sizeof(std::uint64_t) + cursor_.memory() + inverse_.capacity() * sizeof(float);
  for (const Ridge& block : blocks_) bytes += block.memory();
  return bytes;
}

void RidgePath::save(Writer& out) const {
  out.value(lambda_);
  out.values(plays_);
  cursor_.save(out);
  for (const Ridge& block : blocks_) block.save(out);
}

void RidgePath::load(Reader& in) {
  restart(in.value<double>());
  plays_ = in.values<std::uint64_t>(plays_.size());
  cursor_.load(in);
  for (Ridge& block : blocks_) block.load(in);
}

template void RidgePath::catch_up<float>(const History<float>&, const RoundWeights<float>&, std::size_t);
template void RidgePath::catch_up<double>(const History<double>&, const RoundWeights<double>&, std::size_t);
template void RidgePath::features<float>(const float*, std::span<double>) const;
template void RidgePath::features<double>(const double*, std::span<double>) const;

}  // namespace neuralts
