#include "model/kept_rounds.hpp"

#include <algorithm>
#include <cmath>

#include "base/room.hpp"

namespace neuralts {

bool KeptRows::weighted() const {
  return std::any_of(factors.begin(), factors.end(), [](double factor) { return factor != 1; });
}

void KeptRounds::reserve(std::size_t block, std::size_t count) {
  make_room(when_[block], count, true);
}

void KeptRounds::added(std::size_t block) {
  when_[block].push_back(seen_++);
  ++kept_;
}

// SplitMix64 of the round's number: a permutation of 64 bits, so that no two are equal.
std::uint64_t KeptRounds::priority(std::uint64_t when) const {
  std::uint64_t z = (when ^ seed_) + 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

std::vector<KeptRows> KeptRounds::select(const Retention& retention) const {
  const std::uint64_t first = std::max<std::uint64_t>(forgotten_, seen_ - std::min(seen_, retention.last));
  const bool bounded = room_ > 0 && seen_ - first > room_;
  const std::uint64_t recent =
      bounded ? std::max<std::uint64_t>(first, seen_ - std::min(seen_, room_ / 2)) : first;
  std::vector<std::uint64_t> older;
  for (const auto& block : when_)
    for (const std::uint64_t when : block)
      if (when >= first && when < recent) older.push_back(priority(when));
  const std::size_t sample = std::min(older.size(), room_ - room_ / 2);
  std::uint64_t limit = 0;  // priorities below it stay
  if (sample < older.size()) {
    std::nth_element(older.begin(), older.begin() + static_cast<std::ptrdiff_t>(sample), older.end());
    limit = older[sample];
  }
  const auto stays = [&](std::uint64_t when) {
    return when >= recent || (when >= first && (sample == older.size() || priority(when) < limit));
  };
  const double stands_for =
      sample > 0 ? static_cast<double>(recent - first) / static_cast<double>(sample) : 1;
  std::vector<KeptRows> kept(when_.size());
  for (std::size_t k = 0; k < when_.size(); ++k)
    for (std::size_t row = 0; row < when_[k].size(); ++row) {
      const std::uint64_t when = when_[k][row];
      if (!stays(when)) continue;
      const double age = static_cast<double>(seen_ - 1 - when);
      kept[k].rows.push_back(static_cast<std::uint32_t>(row));
      kept[k].factors.push_back((when < recent ? stands_for : 1) *
                                (retention.discount < 1 ? std::pow(retention.discount, age) : 1));
    }
  return kept;
}

void KeptRounds::take(const std::vector<KeptRows>& kept, const Retention& retention) noexcept {
  forgotten_ = std::max<std::uint64_t>(forgotten_, seen_ - std::min(seen_, retention.last));
  kept_ = 0;
  for (std::size_t k = 0; k < when_.size(); ++k) {
    for (std::size_t i = 0; i < kept[k].rows.size(); ++i) when_[k][i] = when_[k][kept[k].rows[i]];
    when_[k].resize(kept[k].rows.size());
    kept_ += kept[k].rows.size();
  }
}

void KeptRounds::clear() {
  for (auto& block : when_) block.clear();
  kept_ = seen_ = forgotten_ = 0;
}

std::size_t KeptRounds::memory() const {
  std::size_t numbers = 0;
  for (const auto& block : when_) numbers += block.capacity();
  return numbers * sizeof(std::uint64_t);
}

void KeptRounds::save(Writer& out) const {
  for (const auto& block : when_) out.values(block);
  out.value<std::uint64_t>(seen_);
  out.value(forgotten_);
}

void KeptRounds::load(Reader& in) {
  kept_ = 0;
  for (auto& block : when_) {
    block = in.values<std::uint64_t>();
    kept_ += block.size();
  }
  seen_ = in.value<std::uint64_t>();
  forgotten_ = in.value<std::uint64_t>();
  for (const auto& block : when_)
    if (!std::is_sorted(block.begin(), block.end()) || (!block.empty() && block.back() >= seen_)) in.fail();
}

}  // namespace neuralts
