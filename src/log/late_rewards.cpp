#include "log/late_rewards.hpp"

#include <algorithm>
#include <limits>

#include "base/text_hash.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

std::string_view LateRewards::id_of(std::size_t entry) const {
  const std::size_t begin = entries_[entry].id_begin;
  const std::size_t end = entry + 1 < entries_.size() ? entries_[entry + 1].id_begin : ids_.size();
  return std::string_view(ids_).substr(begin, end - begin);
}

std::size_t LateRewards::slot_of(std::string_view id, std::uint64_t hash) const {
  for (std::size_t slot = hash & (slots_.size() - 1);; slot = (slot + 1) & (slots_.size() - 1)) {
    const std::uint32_t entry = slots_[slot];
    if (entry == 0 || (entries_[entry - 1].hash == hash && id_of(entry - 1) == id)) return slot;
  }
}

// At most half of the slots are taken.
void LateRewards::grow() {
  slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), 0);
  for (std::size_t i = 0; i < entries_.size(); ++i)
    slots_[slot_of(id_of(i), entries_[i].hash)] = static_cast<std::uint32_t>(i + 1);
}

bool LateRewards::add(std::string_view id, const LateReward& reward) {
  if (entries_.size() == std::numeric_limits<std::uint32_t>::max())
    throw Error(ErrorCode::unsupported, "log", "more than 4294967295 rewards in lines of their own",
                "read its files one by one");
  if (2 * (entries_.size() + 1) > slots_.size()) grow();
  const std::uint64_t hash = hash_text(id);
  const std::size_t slot = slot_of(id, hash);
  if (slots_[slot] != 0) return false;
  entries_.push_back({hash, ids_.size(), reward});
  ids_ += id;
  slots_[slot] = static_cast<std::uint32_t>(entries_.size());
  return true;
}

LateReward* LateRewards::find(std::string_view id) {
  if (entries_.empty()) return nullptr;
  const std::uint32_t entry = slots_[slot_of(id, hash_text(id))];
  return entry == 0 ? nullptr : &entries_[entry - 1].reward;
}

const LateReward* LateRewards::first_unused() const {
  for (const Entry& entry : entries_)
    if (!entry.reward.used) return &entry.reward;
  return nullptr;
}

}  // namespace neuralts
