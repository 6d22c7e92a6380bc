#include "session/open_events.hpp"

namespace neuralts {

void OpenEvents::add(OpenEvent event) {
  open_ids_.emplace(event.id, next_);
  open_.emplace(next_++, std::move(event));
}

const OpenEvent* OpenEvents::find(const std::string& id) const {
  const auto found = open_ids_.find(id);
  return found == open_ids_.end() ? nullptr : &open_.at(found->second);
}

Settled OpenEvents::settled(const std::string& id) const {
  const auto found = settled_.find(id);
  return found == settled_.end() ? Settled::unknown : found->second;
}

void OpenEvents::settle(const std::string& id, Settled how) {
  const auto found = open_ids_.find(id);
  if (found == open_ids_.end()) return;
  open_.erase(found->second);
  open_ids_.erase(found);
  if (remember_ == 0) return;
  settled_.emplace(id, how);
  settled_order_.push_back(id);
  if (settled_order_.size() <= remember_) return;
  settled_.erase(settled_order_.front());
  settled_order_.pop_front();
}

void OpenEvents::save(Writer& out) const {
  out.value<std::uint64_t>(open_.size());
  for (const auto& [number, event] : open_) {
    out.text(event.id);
    out.value(event.time);
    out.values(event.x);
    out.value(event.block);
    out.value<std::uint64_t>(event.early);
  }
  out.value<std::uint64_t>(settled_order_.size());
  for (const auto& id : settled_order_) {
    out.text(id);
    out.value(static_cast<std::uint8_t>(settled_.at(id)));
  }
}

void OpenEvents::load(Reader& in) {
  for (auto left = in.value<std::uint64_t>(); left > 0; --left) {
    OpenEvent event;
    event.id = in.text();
    event.time = in.value<double>();
    event.x = in.values<double>();
    event.block = in.value<std::uint32_t>();
    event.early = in.value<std::uint64_t>();
    if (knows(event.id)) in.fail();
    add(std::move(event));
  }
  for (auto left = in.value<std::uint64_t>(); left > 0; --left) {
    const std::string id = in.text();
    const auto how = in.value<std::uint8_t>();
    if (how > static_cast<std::uint8_t>(Settled::unknown) || knows(id)) in.fail();
    settled_order_.push_back(id);
    settled_.emplace(id, static_cast<Settled>(how));
  }
}

}  // namespace neuralts
