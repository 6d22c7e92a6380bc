#include "session/arm_rounds.hpp"

#include <algorithm>
#include <map>

namespace neuralts {

void ArmRounds::add(std::span<const Finished> rounds) {
  for (const Finished& round : rounds)
    kept_.push_back({{round.context.values.begin(), round.context.values.end()},
                     static_cast<std::uint32_t>(round.context.block),
                     round.reward,
                     round.weight});
  if (kept_.size() > room() + room() / 8) make_room();
}

void ArmRounds::forget(std::span<const std::uint32_t> blocks) {
  std::erase_if(kept_, [&](const KeptRound& round) {
    return std::find(blocks.begin(), blocks.end(), round.block) != blocks.end();
  });
}

std::size_t ArmRounds::room() const {
  const std::size_t numbers = kept_.empty() ? 0 : kept_.back().x.size();
  return std::max<std::size_t>(1, bytes_ / (sizeof(KeptRound) + numbers * sizeof(double)));
}

// Whoever has less than an even share of the room keeps all, and leaves what is left of it to the others.
void ArmRounds::make_room() {
  std::map<std::uint32_t, std::size_t> too_many;
  for (const KeptRound& round : kept_) ++too_many[round.block];
  std::vector<std::size_t> counts;
  for (const auto& [block, count] : too_many) counts.push_back(count);
  std::sort(counts.begin(), counts.end());
  std::size_t left = room(), share = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    share = left / (counts.size() - i);
    left -= std::min(counts[i], share);
  }
  for (auto& [block, count] : too_many) count -= std::min(count, share);
  std::erase_if(kept_, [&](const KeptRound& round) {
    std::size_t& gone = too_many[round.block];
    return gone > 0 && gone-- > 0;
  });
}

void ArmRounds::save(Writer& out) const {
  out.value<std::uint64_t>(kept_.size());
  for (const KeptRound& round : kept_) {
    out.values(round.x);
    out.value(round.block);
    out.value(round.reward);
    out.value(round.weight);
  }
}

void ArmRounds::load(Reader& in) {
  for (auto left = in.value<std::uint64_t>(); left > 0; --left) {
    KeptRound& round = kept_.emplace_back();
    round.x = in.values<double>();
    round.block = in.value<std::uint32_t>();
    round.reward = in.value<double>();
    round.weight = in.value<double>();
  }
}

}  // namespace neuralts
