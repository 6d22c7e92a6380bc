#include "model/short_memory.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace neuralts {

namespace {

constexpr std::size_t most = 32;      // numbers of a context that are seen as they are
constexpr double ridge_lambda = 0.1;  // contexts have length 1 on average
constexpr double at_once = 4;         // errors so many times those before have risen at once
constexpr std::size_t least_since = 8;
constexpr std::size_t together = 16;  // rows that a ridge takes in at a time
constexpr double farthest = 1e9;      // a number of a context, in usual lengths
constexpr std::size_t parts = 4;      // of the memory, between two times of forgetting

Shape narrow(const Shape& shape) {
  return {.length = std::min(shape.length, most) + 1, .blocks = shape.blocks};
}

// +1 or -1: the sign with which number i of a context goes into one of the places.
double sign(std::size_t i) { return (i * 0x9e3779b97f4a7c15u >> 33 & 1) != 0 ? 1 : -1; }

}  // namespace

ShortMemory::ShortMemory(const Shape& shape, std::size_t rounds)
    : shape_(shape),
      rounds_(rounds),
      blocks_(shape.blocks, Ridge(narrow(shape).length, ridge_lambda)),
      phi_(narrow(shape).length),
      rows_(together * phi_.size()),
      rewards_(together),
      weights_(together) {
  order_.reserve(2 * rounds);
}

void ShortMemory::stay() {
  begin_anew({}, 0);
  latest_.clear();
  stays_ = true;
}

void ShortMemory::stay(const ShortMemory& other, std::size_t rounds) {
  square_ = other.square_, count_ = other.count_;
  begin_anew(other.latest_, rounds);
}

Slice ShortMemory::seen(const Slice& context) {
  std::fill(phi_.begin(), phi_.end(), 0.0);
  const double scale = square_ > 0 ? 1 / std::sqrt(square_) : 1;
  const bool whole = shape_.length <= most;
  for (std::size_t i = 0; i < shape_.length; ++i)
    phi_[i % most] += (whole ? 1 : sign(i)) * std::clamp(scale * context.values[i], -farthest, farthest);
  phi_.back() = 1;
  return {phi_, context.block};
}

double ShortMemory::forecast(const Slice& context) { return blocks_[context.block].mean(seen(context).values); }

void ShortMemory::make_room(std::span<const Finished> rounds) {
  const std::size_t most_rounds = 2 * rounds_, held = std::min(latest_.size(), most_rounds);
  if (!stays_) latest_.reserve(std::min(rounds.size(), most_rounds - held), phi_.size());
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

void ShortMemory::learn(const Finished& round) {
  ++count_;
  if (count_ <= rounds_) {  // settled with the first memory
    double square = 0;
    for (const double value : round.context.values) square += value * value;
    square_ += (square - square_) / static_cast<double>(count_);
  }
  const Finished mine{seen(round.context), round.reward, round.weight};
  if (!stays_) latest_.append({&mine, 1});
  if (!stays_ && count_ > rounds_ && ++fresh_ >= std::max<std::size_t>(1, rounds_ / parts)) {
    fresh_ = 0;
    latest_.keep_last(rounds_);
    return begin_anew(latest_, rounds_);
  }
  Ridge& ridge = blocks_[round.context.block];
  ridge.add(phi_, round.reward, round.weight, rows_);
  ridge.solve();
}

void ShortMemory::begin_anew(const RoundList& latest, std::size_t rounds) {
  for (Ridge& ridge : blocks_) ridge.restart();
  rounds = std::min(rounds, latest.size());
  order_.resize(rounds);
  std::iota(order_.begin(), order_.end(), static_cast<std::uint32_t>(latest.size() - rounds));
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(latest[a].context.block, a) < std::pair(latest[b].context.block, b);
  });
  std::size_t rows = 0;
  for (std::size_t i = 0; i < rounds; ++i) {
    const Finished round = latest[order_[i]];
    std::copy(round.context.values.begin(), round.context.values.end(),
              rows_.begin() + static_cast<std::ptrdiff_t>(rows * phi_.size()));
    rewards_[rows] = round.reward, weights_[rows] = round.weight;
    const std::size_t block = round.context.block;
    if (++rows < together && i + 1 < rounds && latest[order_[i + 1]].context.block == block) continue;
    blocks_[block].add_rows(std::exchange(rows, 0), rows_.data(), rewards_.data(), weights_.data());
  }
  for (Ridge& ridge : blocks_) ridge.solve();
  loose_ = true;
}

std::size_t ShortMemory::memory() const {
  std::size_t bytes = latest_.memory() + (phi_.capacity() + rows_.capacity()) * sizeof(double);
  for (const Ridge& ridge : blocks_) bytes += ridge.memory();
  return bytes;
}

void ShortMemory::save(Writer& out) const {
  out.value<std::uint64_t>(fresh_);
  out.value<std::uint64_t>(count_);
  out.value<std::uint8_t>(stays_);
  out.value(square_);
  for (const Ridge& ridge : blocks_) ridge.save(out);
  if (!stays_) latest_.save(out);
}

void ShortMemory::load(Reader& in) {
  fresh_ = in.value<std::uint64_t>();
  count_ = in.value<std::uint64_t>();
  stays_ = in.value<std::uint8_t>() != 0;
  square_ = in.value<double>();
  for (Ridge& ridge : blocks_) ridge.load(in);
  if (!stays_) latest_.load(in, narrow(shape_));
}

void PairedErrors::count(double a, double b) {
  const double difference = a - b, share = std::max(1 / rounds_, 1 / (count_ + 1));
  mean_ += share * (difference - mean_);
  square_ += share * (difference * difference - square_);
  count_ = std::min(count_ + 1, rounds_);
}

// A mean of n differences scatters by their deviation over sqrt(n).
bool PairedErrors::a_is_worse(double deviations) const {
  if (count_ < rounds_ / 2) return false;
  const double variance = std::max(0.0, square_ - mean_ * mean_);
  return mean_ > 0 && mean_ * std::sqrt(count_) > deviations * std::sqrt(variance);
}

void PairedErrors::save(Writer& out) const {
  for (const double value : {count_, mean_, square_}) out.value(value);
}

void PairedErrors::load(Reader& in) {
  for (double* value : {&count_, &mean_, &square_}) *value = in.value<double>();
}

ErrorLevel::ErrorLevel(std::vector<double> rounds)
    : rounds_(std::move(rounds)), recent_(rounds_.size()), most_(2 * static_cast<std::size_t>(rounds_.back())) {
  latest_.reserve(2 * most_);
}

void ErrorLevel::count(double error) noexcept {
  all_.add(error);
  for (std::size_t i = 0; i < recent_.size(); ++i)
    recent_[i] += std::max(1 / rounds_[i], 1 / all_.count) * (error - recent_[i]);
  if (latest_.size() == 2 * most_) latest_.erase(latest_.begin(), latest_.end() - static_cast<std::ptrdiff_t>(most_));
  latest_.push_back(error);
}

std::span<const double> ErrorLevel::latest() const {
  return std::span(latest_).last(std::min(most_, latest_.size()));
}

std::size_t ErrorLevel::since_risen(std::size_t rounds) const {
  const auto errors = latest().last(std::min(rounds, latest().size()));
  const auto mean_of = [](auto from, auto to) {
    return std::accumulate(from, to, 0.0) / static_cast<double>(to - from);
  };
  const double mean = mean_of(errors.begin(), errors.end());
  double sum = 0, least = 0;
  auto rise = errors.begin();
  for (auto error = errors.begin(); error != errors.end(); ++error) {
    sum += *error - mean;
    if (sum < least) least = sum, rise = error + 1;
  }
  const auto since = static_cast<std::size_t>(errors.end() - rise);
  if (rise == errors.begin() || since < least_since) return rounds;
  return mean_of(rise, errors.end()) > at_once * mean_of(errors.begin(), rise) ? since : rounds;
}

void ErrorLevel::clear() noexcept {
  all_ = {};
  std::fill(recent_.begin(), recent_.end(), 0.0);
  latest_.clear();
}

void ErrorLevel::save_latest(Writer& out) const {
  out.values(std::vector(latest().begin(), latest().end()));
}

void ErrorLevel::load_latest(Reader& in) {
  const auto loaded = in.values<double>();
  const std::size_t kept = std::min(most_, loaded.size());
  latest_.assign(loaded.end() - static_cast<std::ptrdiff_t>(kept), loaded.end());
}

void ErrorLevel::save(Writer& out) const {
  all_.save(out);
  for (const double value : recent_) out.value(value);
}

void ErrorLevel::load(Reader& in) {
  all_.load(in);
  for (double& value : recent_) value = in.value<double>();
}

}  // namespace neuralts
