#include "session/arm_names.hpp"

#include <algorithm>
#include <set>

namespace neuralts {

bool ArmNames::is_retired(const std::string& name) const {
  return std::find(retired_.begin(), retired_.end(), name) != retired_.end();
}

std::optional<ArmNames::Place> ArmNames::find(const std::string& name) const {
  if (const auto found = names_.find(name); found != names_.end()) return Place{found->second, false};
  if (names_.size() < most_) return Place{static_cast<std::uint32_t>(names_.size()), false};
  if (retired_.empty()) return std::nullopt;
  return Place{names_.at(retired_.front()), true};
}

std::optional<std::uint32_t> ArmNames::known(const std::string& name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? std::nullopt : std::optional(found->second);
}

ArmNames::Place ArmNames::take(const std::string& name) {
  const Place place = find(name).value();
  if (const auto back = std::find(retired_.begin(), retired_.end(), name); back != retired_.end())
    retired_.erase(back);
  if (place.reused) {
    names_.erase(retired_.front());
    retired_.pop_front();
  }
  names_[name] = place.block;
  return place;
}

bool ArmNames::retire(const std::string& name) {
  if (!has(name)) return false;
  retired_.push_back(name);
  return true;
}

std::vector<std::string> ArmNames::names() const {
  std::vector<std::string> all;
  for (const auto& [name, block] : names_)
    if (!is_retired(name)) all.push_back(name);
  return all;
}

void ArmNames::save(Writer& out) const {
  out.value<std::uint64_t>(names_.size());
  for (const auto& [name, block] : names_) {
    out.text(name);
    out.value(block);
  }
  out.value<std::uint64_t>(retired_.size());
  for (const auto& name : retired_) out.text(name);
}

// Every arm has a block of its own, and every block below their number is an arm's.
void ArmNames::load(Reader& in) {
  std::set<std::uint32_t> blocks;
  for (auto left = in.value<std::uint64_t>(); left > 0; --left) {
    const std::string name = in.text();
    const auto block = in.value<std::uint32_t>();
    if (!names_.emplace(name, block).second || !blocks.insert(block).second) in.fail();
  }
  if (blocks.size() > most_ || (!blocks.empty() && *blocks.rbegin() >= blocks.size())) in.fail();
  for (auto left = in.value<std::uint64_t>(); left > 0; --left) {
    const std::string name = in.text();
    if (!has(name)) in.fail();
    retired_.push_back(name);
  }
}

}  // namespace neuralts
