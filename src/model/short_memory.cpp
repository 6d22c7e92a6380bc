#include "model/short_memory.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace neuralts {

namespace {

constexpr StandardiserSettings scale{.inputs = true, .rewards = true, .clip = 4};
constexpr std::size_t most = 32;      // numbers of a context that are seen as they are
constexpr double ridge_lambda = 0.2;  // contexts have length 1 on average
constexpr std::size_t together = 16;  // rows that a ridge takes in at a time
constexpr std::size_t parts = 4;      // of the memory, between two times of forgetting
constexpr std::size_t enough = 64;    // rounds tell a scale

Shape narrow(const Shape& shape) {
  return {.length = std::min(shape.length, most) + 1, .blocks = shape.blocks};
}

constexpr std::uint64_t mixed(std::uint64_t i) { return i * 0x9e3779b97f4a7c15u >> 33; }

// +1 or -1: the sign with which number i of a context goes into one of the places.
double sign(std::size_t i) { return (mixed(i) & 1) != 0 ? 1 : -1; }

}  // namespace

ShortMemory::ShortMemory(const Shape& shape, std::size_t rounds, std::size_t held)
    : shape_(shape),
      rounds_(rounds),
      scaling_(shape.length),
      blocks_(shape.blocks, Ridge(narrow(shape).length, ridge_lambda)),
      scaled_(shape.length > most ? shape.length : 0),
      phi_(narrow(shape).length),
      rows_(together * phi_.size()),
      rewards_(together),
      weights_(together) {
  scaling_.hide_inputs();
  sample_.reserve(enough);
  for (const bool weighted : {false, true}) column_.reserve(enough, weighted);
  order_.reserve(std::min(rounds, held));
}

Slice ShortMemory::seen(const Slice& context) {
  phi_.back() = 1;
  if (shape_.length <= most) {
    scaling_.map(context.values, phi_.data());
  } else {
    scaling_.map(context.values, scaled_.data());
    std::fill(phi_.begin(), phi_.end() - 1, 0.0);
    for (std::size_t i = 0; i < shape_.length; ++i) phi_[i % most] += sign(i) * scaled_[i];
  }
  return {phi_, context.block};
}

double ShortMemory::forecast(const Slice& context) {
  return scaling_.mean(blocks_[context.block].mean(seen(context).values));
}

void ShortMemory::make_room(std::span<const Finished> rounds) {
  for (const Finished& round : rounds) {
    Ridge& ridge = blocks_[round.context.block];
    loose_ = loose_ || !ridge.begun();
    ridge.begin();
  }
}

void ShortMemory::give_back() noexcept {
  if (!std::exchange(loose_, false)) return;
  for (Ridge& ridge : blocks_) ridge.end_unless_used();
}

// All that come are scaled anew as long as they are held.
void ShortMemory::learn(const Finished& round, const RoundList& latest) {
  ++count_;
  const std::size_t since = count_ - fitted_;
  const bool due = since >= std::max<std::size_t>(1, std::min(fitted_ / 2, rounds_ / parts)) &&
                   (rounds_ != all || count_ <= latest.size());
  if (due) return learn_anew(latest, std::min(count_, rounds_));
  Ridge& ridge = blocks_[round.context.block];
  ridge.add(seen(round.context).values, scaling_.map_reward(round.reward), round.weight, rows_);
  ridge.solve();
}

// Not every so many rounds: where the world has a beat, they would all be of one kind.
void ShortMemory::fit_scale(const RoundList& latest, std::size_t rounds) {
  const std::size_t first = latest.size() - rounds, drawn = std::min(rounds, enough);
  double weight = 0;
  sample_.clear();
  for (std::size_t i = 0; i < drawn; ++i) {
    const std::size_t from = i * rounds / drawn, to = (i + 1) * rounds / drawn;
    sample_.push_back(latest[first + from + mixed(i) % (to - from)]);
    weight += sample_.back().weight;
  }
  fit_scaling(scale, shape_.length, sample_, weight, column_, scaling_);
}

void ShortMemory::begin_anew(const RoundList& latest, std::size_t rounds) {
  count_ = rounds;
  learn_anew(latest, rounds);
}

void ShortMemory::learn_anew(const RoundList& latest, std::size_t rounds) {
  for (Ridge& ridge : blocks_) ridge.restart();
  loose_ = true;
  fitted_ = count_;
  fit_scale(latest, rounds);
  order_.resize(rounds);
  std::iota(order_.begin(), order_.end(), static_cast<std::uint32_t>(latest.size() - rounds));
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(latest.block(a), a) < std::pair(latest.block(b), b);
  });
  std::size_t rows = 0;
  for (std::size_t i = 0; i < rounds; ++i) {
    const Finished round = latest[order_[i]];
    seen(round.context);
    std::copy(phi_.begin(), phi_.end(), rows_.begin() + static_cast<std::ptrdiff_t>(rows * phi_.size()));
    rewards_[rows] = scaling_.map_reward(round.reward), weights_[rows] = round.weight;
    const std::size_t block = round.context.block;
    if (++rows < together && i + 1 < rounds && latest.block(order_[i + 1]) == block) continue;
    blocks_[block].add_rows(std::exchange(rows, 0), rows_.data(), rewards_.data(), weights_.data());
  }
  for (Ridge& ridge : blocks_) ridge.solve();
}

std::size_t ShortMemory::memory() const {
  std::size_t bytes = (phi_.capacity() + rows_.capacity() + 3 * shape_.length) * sizeof(double);
  for (const Ridge& ridge : blocks_) bytes += ridge.memory();
  return bytes;
}

void ShortMemory::save(Writer& out) const {
  out.value<std::uint64_t>(count_);
  out.value<std::uint64_t>(fitted_);
  scaling_.save(out);
  for (const Ridge& ridge : blocks_) ridge.save(out);
}

void ShortMemory::load(Reader& in) {
  count_ = in.value<std::uint64_t>();
  fitted_ = in.value<std::uint64_t>();
  if (fitted_ > count_) in.fail();
  scaling_.load(in);
  for (Ridge& ridge : blocks_) ridge.load(in);
}

void ShortMemory::skip(Reader& in, const Shape& shape) {
  in.value<std::uint64_t>();
  in.value<std::uint64_t>();
  const bool stays = in.value<std::uint8_t>() != 0;
  in.value<double>();
  for (std::size_t k = 0; k < shape.blocks; ++k) Ridge(narrow(shape).length, ridge_lambda).load(in);
  if (!stays) RoundList().load(in, narrow(shape));
}

}  // namespace neuralts
