#include "neuralts/random.hpp"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>
#include <utility>

namespace neuralts {

// Counter words: 0-1 count blocks, 2 is the low half of the index, 3 its high half mixed with the purpose.
Stream::Stream(std::uint64_t seed, Purpose purpose, std::uint64_t index) {
  state_.key = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  state_.counter[2] = static_cast<std::uint32_t>(index);
  state_.counter[3] = static_cast<std::uint32_t>(index >> 32) ^ (static_cast<std::uint32_t>(purpose) << 24);
}

Stream::Stream(const State& state) : state_(state) {
  if (state_.used < 4) {  // rebuild the block that was being handed out: its counter is the one before
    const std::uint32_t used = state_.used;
    if (state_.counter[0]-- == 0) --state_.counter[1];
    refill();
    state_.used = used;
  }
}

void Stream::refill() {
  const r123::Philox4x32::ctr_type counter = {
      {state_.counter[0], state_.counter[1], state_.counter[2], state_.counter[3]}};
  const r123::Philox4x32::key_type key = {{state_.key[0], state_.key[1]}};
  const auto words = r123::Philox4x32()(counter, key);
  for (std::size_t i = 0; i < 4; ++i) block_[i] = words[i];
  if (++state_.counter[0] == 0) ++state_.counter[1];
  state_.used = 0;
}

std::uint32_t Stream::bits32() {
  if (state_.used >= 4) refill();
  return block_[state_.used++];
}

std::uint64_t Stream::bits64() {
  const std::uint64_t high = bits32();
  return high << 32 | bits32();
}

double Stream::uniform() { return static_cast<double>(bits64() >> 11) * 0x1p-53; }

// Box-Muller; the sine is dropped so that a stream's state stays a counter.
double Stream::normal() {
  const double radius = std::sqrt(-2.0 * std::log1p(-uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

// Rejects the incomplete last multiple of n.
std::uint64_t Stream::below(std::uint64_t n) {
  const std::uint64_t limit = -n % n;  // 2^64 mod n
  for (;;)
    if (const std::uint64_t draw = bits64(); draw >= limit) return draw % n;
}

void Stream::shuffle(std::span<std::uint32_t> items) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
}

}  // namespace neuralts
