#include "model/neighbours.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "math/simd.hpp"

namespace neuralts {

namespace {

constexpr std::size_t tile = math::tile_height;
constexpr std::size_t asked_of = 16, most_tiles = 42;
constexpr double length = 0.2;     // of the kernel; contexts that have nothing to do with each other are sqrt(2) apart
constexpr float near_enough = 0.36F;  // squared distance: who is farther has a kernel of less than exp(-3)
constexpr double affordable_numbers = 2e5, affordable_of_block = 2.1e4;
constexpr double affordable_work = 2e6;  // multiplications of a decision

// Rounds of every block: whole tiles.
std::size_t points_of(const Shape& shape) {
  const double of_tile = static_cast<double>(shape.length * tile),
               of_all = affordable_numbers / static_cast<double>(shape.blocks);
  return tile * std::min(most_tiles, static_cast<std::size_t>(std::min(of_all, affordable_of_block) / of_tile));
}

double kernel(double squared_distance) { return std::exp(-std::sqrt(squared_distance) / length); }

double squared_distance(std::size_t d, const float* x, const float* y) {
  float sum = 0;
  for (std::size_t i = 0; i < d; ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return static_cast<double>(sum);
}

}  // namespace

Neighbours::Neighbours(const Shape& shape, bool speaks)
    : shape_(shape),
      most_points_(points_of(shape)),
      blocks_(speaks && most_points_ > 0 ? shape.blocks : 0),
      cursor_(blocks_.size()) {}

void Neighbours::restart(double lambda) {
  lambda_ = lambda;
  blocks_.assign(blocks_.size(), {});
  cursor_.restart();
}

template <class T>
void Neighbours::catch_up(const History<T>& history, const RoundWeights<T>& weights, std::size_t most) {
  cursor_.advance(history, most, [&](std::size_t k, std::size_t first, std::size_t last) {
    take_in<T>(history.blocks()[k], weights.empty() ? nullptr : weights[k].data(), first, last, blocks_[k]);
  });
}

void Neighbours::make_room(std::size_t rounds, Block& block) const {
  const std::size_t needed = std::min(most_points_, block.next + rounds), points = (needed + tile - 1) / tile * tile;
  if (points <= block.weights.size()) return;
  for (auto* numbers : {&block.rewards, &block.weights}) numbers->reserve(points);
  block.tiles.resize(points * shape_.length);
  block.rewards.resize(points);
  block.weights.resize(points);
}

// A call that throws has changed nothing that is told.
template <class T>
void Neighbours::take_in(const typename History<T>::Block& rounds, const T* weights, std::size_t first,
                         std::size_t last, Block& block) {
  const std::size_t d = shape_.length;
  first = std::max(first, last - std::min(last, most_points_));
  make_room(last - first, block);
  for (std::size_t row = first; row < last; ++row) {
    const float weight = weights == nullptr ? 1 : static_cast<float>(weights[row]);
    if (!(weight > 0)) continue;
    float* const out = block.tiles.data() + block.next / tile * tile * d + block.next % tile;
    for (std::size_t i = 0; i < d; ++i) out[i * tile] = static_cast<float>(rounds.x[row * d + i]);
    block.rewards[block.next] = static_cast<float>(rounds.rewards[row]);
    block.weights[block.next] = weight;
    block.next = (block.next + 1) % most_points_;
  }
}

// From the tile that the last round lies in back to older ones.
auto Neighbours::nearest(const float* x, const Block& block, std::size_t tiles, std::span<Near> found) const
    -> std::span<Near> {
  const std::size_t d = shape_.length, all = block.weights.size() / tile,
                    last = (block.next + most_points_ - 1) % most_points_ / tile;
  std::size_t count = 0;
  float limit = near_enough;
  std::array<float, tile> distances;
  for (std::size_t back = 0; back < std::min(all, tiles); ++back) {
    const std::size_t at = (last + all - back) % all;
    if (!math::tile_distances(d, x, block.tiles.data() + at * tile * d, limit, distances.data())) continue;
    for (std::size_t i = 0; i < tile; ++i) {
      const Near one{distances[i], at * tile + i};
      if (!(one.distance < limit) || !(block.weights[one.at] > 0)) continue;
      std::size_t place = count < found.size() ? count++ : count - 1;
      for (; place > 0 && one.distance < found[place - 1].distance; --place) found[place] = found[place - 1];
      found[place] = one;
      if (count == found.size()) limit = found.back().distance;
    }
  }
  return found.first(count);
}

// By L L' = G + lambda / w, row after row: the forecast is (L^-1 k)' (L^-1 r).
template <class T>
double Neighbours::mean(const T* x, std::size_t block, std::size_t asked, Scratch& scratch) const {
  const Block& own = blocks_[block];
  const std::size_t d = shape_.length, mark = scratch.mark();
  const auto rows = scratch.take<float>((asked_of + 1) * d);
  float* const point = rows.data() + asked_of * d;
  std::transform(x, x + d, point, [](T value) { return static_cast<float>(value); });
  const double work = static_cast<double>(asked) * static_cast<double>(d * tile);
  std::array<Near, asked_of> room;
  const auto near = nearest(point, own, 1 + static_cast<std::size_t>(affordable_work / work), room);

  std::array<std::array<double, asked_of>, asked_of> factor;
  std::array<double, asked_of> of_kernel, of_rewards;
  double sum = 0;
  for (std::size_t i = 0; i < near.size(); ++i) {
    float* const row = rows.data() + i * d;
    const std::size_t at = near[i].at;
    const float* const stored = own.tiles.data() + at / tile * tile * d + at % tile;
    for (std::size_t c = 0; c < d; ++c) row[c] = stored[c * tile];
    const double noise = lambda_ / static_cast<double>(own.weights[at]);
    double pivot = 1 + noise, z = kernel(static_cast<double>(near[i].distance)),
           y = static_cast<double>(own.rewards[at]);
    for (std::size_t j = 0; j < i; ++j) {
      double value = kernel(squared_distance(d, row, rows.data() + j * d));
      for (std::size_t k = 0; k < j; ++k) value -= factor[i][k] * factor[j][k];
      value /= factor[j][j];
      factor[i][j] = value;
      pivot -= value * value, z -= value * of_kernel[j], y -= value * of_rewards[j];
    }
    factor[i][i] = std::sqrt(std::max(pivot, noise));
    of_kernel[i] = z / factor[i][i], of_rewards[i] = y / factor[i][i];
    sum += of_kernel[i] * of_rewards[i];
  }
  scratch.rewind(mark);
  return sum;
}

std::size_t Neighbours::memory() const {
  std::size_t bytes = cursor_.memory();
  for (const Block& block : blocks_)
    bytes += (block.tiles.capacity() + block.rewards.capacity() + block.weights.capacity()) * sizeof(float);
  return bytes;
}

void Neighbours::save(Writer& out) const {
  if (!speaks()) return;
  out.value(lambda_);
  cursor_.save(out);
  for (const Block& block : blocks_) {
    out.values(block.weights);
    out.values(block.rewards);
    out.values(block.tiles);
    out.value<std::uint64_t>(block.next);
  }
}

void Neighbours::load(Reader& in) {
  if (!speaks()) return;
  restart(in.value<double>());
  cursor_.load(in);
  for (Block& block : blocks_) {
    block.weights = in.values<float>();
    const std::size_t points = block.weights.size();
    if (points > most_points_ || points % tile != 0) in.fail();
    block.rewards = in.values<float>(points);
    block.tiles = in.values<float>(points * shape_.length);
    block.next = in.value<std::uint64_t>();
    if (block.next > points || block.next >= most_points_) in.fail();
  }
}

template void Neighbours::catch_up<float>(const History<float>&, const RoundWeights<float>&, std::size_t);
template void Neighbours::catch_up<double>(const History<double>&, const RoundWeights<double>&, std::size_t);
template double Neighbours::mean<float>(const float*, std::size_t, std::size_t, Scratch&) const;
template double Neighbours::mean<double>(const double*, std::size_t, std::size_t, Scratch&) const;

}  // namespace neuralts
