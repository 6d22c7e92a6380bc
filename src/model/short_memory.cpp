#include "model/short_memory.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace neuralts {

namespace {

constexpr std::size_t most = 32;      // numbers of a context that are seen as they are
constexpr double ridge_lambda = 0.1;  // contexts have length 1 on average
constexpr double at_once = 4;         // errors so many times those before have risen at once
constexpr std::size_t least_since = 8;
constexpr std::size_t parts = 16;     // of the memory, between two times of forgetting

Shape narrow(const Shape& shape) {
  return {.length = std::min(shape.length, most) + 1, .blocks = shape.blocks};
}

// +1 or -1: the sign with which number i of a context goes into one of the places.
double sign(std::size_t i) { return (i * 0x9e3779b97f4a7c15u >> 33 & 1) != 0 ? 1 : -1; }

}  // namespace

ShortMemory::ShortMemory(const Shape& shape, std::size_t rounds)
    : shape_(shape),
      rounds_(rounds),
      ridge_(narrow(shape), ridge_lambda, rounds),
      phi_(narrow(shape).length) {}

Slice ShortMemory::seen(const Slice& context) {
  std::fill(phi_.begin(), phi_.end(), 0.0);
  const double scale = square_ > 0 ? 1 / std::sqrt(square_) : 1;
  const bool whole = shape_.length <= most;
  for (std::size_t i = 0; i < shape_.length; ++i)
    phi_[i % most] += (whole ? 1 : sign(i)) * scale * context.values[i];
  phi_.back() = 1;
  return {phi_, context.block};
}

double ShortMemory::forecast(const Slice& context, Scratch& scratch) {
  double mean = 0;
  const auto block = static_cast<std::uint32_t>(context.block);
  scratch.reset();
  ridge_.predict(Contexts::disjoint(seen(context).values, std::span(&block, 1)), scratch, {&mean, 1}, {});
  return mean;
}

void ShortMemory::learn(const Finished& round) {
  double square = 0;
  for (const double value : round.context.values) square += value * value;
  if (count_ < rounds_)
    square_ += (square - square_) / static_cast<double>(count_ + 1);  // settled with the first memory
  ++count_;
  const Finished mine{seen(round.context), round.reward, round.weight};
  ridge_.observe({&mine, 1});
  if (stays_ || count_ <= rounds_ || ++fresh_ < std::max<std::size_t>(1, rounds_ / parts)) return;
  fresh_ = 0;
  ridge_.retain({.last = rounds_});
}

void ShortMemory::save(Writer& out) const {
  out.value<std::uint64_t>(fresh_);
  out.value<std::uint64_t>(count_);
  out.value<std::uint8_t>(stays_);
  out.value(square_);
  ridge_.save(out);
}

void ShortMemory::load(Reader& in) {
  fresh_ = in.value<std::uint64_t>();
  count_ = in.value<std::uint64_t>();
  stays_ = in.value<std::uint8_t>() != 0;
  square_ = in.value<double>();
  ridge_.load(in);
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

void ErrorLevel::count(double error) {
  all_.add(error);
  for (std::size_t i = 0; i < recent_.size(); ++i)
    recent_[i] += std::max(1 / rounds_[i], 1 / all_.count) * (error - recent_[i]);
  latest_.push_back(error);
  if (static_cast<double>(latest_.size()) > 2 * rounds_.back()) latest_.pop_front();
}

std::size_t ErrorLevel::since_risen(std::size_t rounds) const {
  const auto begin = latest_.end() - static_cast<std::ptrdiff_t>(std::min(rounds, latest_.size()));
  const auto mean_of = [](auto from, auto to) {
    return std::accumulate(from, to, 0.0) / static_cast<double>(to - from);
  };
  const double mean = mean_of(begin, latest_.end());
  double sum = 0, least = 0;
  auto rise = begin;
  for (auto error = begin; error != latest_.end(); ++error) {
    sum += *error - mean;
    if (sum < least) least = sum, rise = error + 1;
  }
  const auto since = static_cast<std::size_t>(latest_.end() - rise);
  if (rise == begin || since < least_since) return rounds;
  return mean_of(rise, latest_.end()) > at_once * mean_of(begin, rise) ? since : rounds;
}

void ErrorLevel::clear() {
  all_ = {};
  std::fill(recent_.begin(), recent_.end(), 0.0);
  latest_.clear();
}

void ErrorLevel::save_latest(Writer& out) const { out.values(std::vector(latest_.begin(), latest_.end())); }

void ErrorLevel::load_latest(Reader& in) {
  const auto latest = in.values<double>();
  latest_.assign(latest.begin(), latest.end());
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
