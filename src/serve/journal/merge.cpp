#include "serve/journal/merge.hpp"

#include <algorithm>

namespace neuralts::serve {

namespace {

bool about_an_event(const Entry& entry) {
  return entry.kind == Kind::reward || entry.kind == Kind::activation;
}

}  // namespace

Merge::Merge(std::vector<MergeItem> items, std::uint16_t writer)
    : items_(std::move(items)), writer_(writer), targets_(items_.size()), placed_(items_.size()) {
  for (const MergeItem& item : items_) {
    const Entry& entry = *item.entry;
    if (!entry.name.empty() && entry.target == 0) names_wanted_.insert(entry.name);
    if (about_an_event(entry) && entry.target != 0) events_wanted_.insert({entry.writer, entry.target});
  }
}

/// The first place told of a name in a loop holds.
void Merge::know_name(const std::string& name, const MergePlace& place) {
  auto& known = names_known_[name];
  for (const Found& found : known)
    if (found.loop == place.loop) return;
  known.push_back({place.loop, place, 0});
}

bool Merge::came_before(const Found& a, const Found& b) {
  if (!a.place || !b.place) return a.place.has_value();  // of two items of this batch the first stays
  return a.place->sequence < b.place->sequence;
}

/// REQUIRES a name. The oldest of the entry's loop (0: of any). Nothing: there is none.
const Merge::Found* Merge::named(const Entry& entry, bool& ambiguous) const {
  const auto known = names_known_.find(entry.name);
  if (known == names_known_.end()) return nullptr;
  const Found* one = nullptr;
  for (const Found& found : known->second) {
    if (entry.loop != 0 && found.loop != entry.loop) continue;
    ambiguous = one != nullptr;
    if (one == nullptr || came_before(found, *one)) one = &found;
  }
  return one;
}

void Merge::resolve() {
  if (resolved_) return;
  resolved_ = true;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    items_[i].entry->outcome = Outcome::stored;
    if (items_[i].entry->kind == Kind::event)
      resolve_event(i);
    else if (about_an_event(*items_[i].entry))
      resolve_target(i);
  }
}

void Merge::resolve_event(std::size_t i) {
  Entry& entry = *items_[i].entry;
  bool ambiguous = false;
  if (const Found* first = entry.name.empty() ? nullptr : named(entry, ambiguous)) {
    entry.outcome = Outcome::duplicate;
    targets_[i] = *first;
    return;
  }
  for (const std::string* name : {&entry.name, &entry.alias})
    if (!name->empty()) names_known_[*name].push_back({entry.loop, std::nullopt, i});
  if (items_[i].origin != 0) origins_[{writer_, items_[i].origin}] = i;
}

void Merge::resolve_target(std::size_t i) {
  Entry& entry = *items_[i].entry;
  bool ambiguous = false;
  if (entry.target == 0) {
    if (const Found* event = named(entry, ambiguous)) targets_[i] = *event;
  } else if (const auto known = events_known_.find({entry.writer, entry.target});
             known != events_known_.end()) {
    targets_[i] = Found{known->second.loop, known->second, 0};
  } else if (const auto here = origins_.find({entry.writer, entry.target});
             entry.writer != 0 && here != origins_.end()) {
    targets_[i] = Found{items_[here->second].entry->loop, std::nullopt, here->second};
  }
  if (ambiguous && !items_[i].may_wait) {  // what may wait has been acknowledged: it is the oldest event's
    entry.outcome = Outcome::ambiguous;
  } else if (!targets_[i]) {
    const bool waits = items_[i].may_wait && (entry.target == 0 || entry.writer != 0);
    entry.outcome = waits ? Outcome::forwarded : Outcome::unknown;
    if (waits) waiting_.push_back(&items_[i]);
  } else if (entry.loop != 0 && entry.loop != targets_[i]->loop) {
    entry.outcome = Outcome::unknown;
  }
}

std::set<MergeKey> Merge::keys() {
  resolve();
  std::set<MergeKey> wanted;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Entry& entry = *items_[i].entry;
    if (about_an_event(entry) && entry.outcome == Outcome::stored && targets_[i]->place)
      wanted.insert({targets_[i]->place->sequence, targets_[i]->place->segment, entry.key});
  }
  return wanted;
}

void Merge::finish(MergeHead& head) {
  resolve();
  for (std::size_t i = 0; i < items_.size(); ++i) {
    Entry& entry = *items_[i].entry;
    MergeRow row{&items_[i], 0, 0, entry.loop, 0, 0};
    if (entry.outcome == Outcome::stored && about_an_event(entry)) finish_target(i, row);
    entry.time_us = std::max(head.time_us, std::min(items_[i].time_us, head.time_us_max));
    if (entry.outcome == Outcome::stored) store(i, row, head);
    if (entry.outcome == Outcome::duplicate && entry.kind == Kind::event) {
      const Found& first = *targets_[i];
      entry.sequence = first.place ? first.place->sequence : placed_[first.item]->sequence;
    }
  }
}

/// Its event has a place by now: it came before.
void Merge::finish_target(std::size_t i, MergeRow& row) {
  Entry& entry = *items_[i].entry;
  const Found& found = *targets_[i];
  const MergePlace& event = found.place ? *found.place : *placed_[found.item];
  entry.event_loop = event.loop;
  entry.event_time_us = event.time_us;
  if (!keys_known_.insert({event.sequence, event.segment, entry.key}).second)
    entry.outcome = Outcome::duplicate;
  row.loop = event.loop;
  row.target = event.sequence;
  row.target_segment = event.segment;
}

void Merge::store(std::size_t i, MergeRow& row, MergeHead& head) {
  Entry& entry = *items_[i].entry;
  row.sequence = entry.sequence = head.next++;
  row.time_us = head.time_us = entry.time_us;
  if (entry.kind == Kind::event) placed_[i] = MergePlace{row.sequence, head.segment, entry.loop, row.time_us};
  rows_.push_back(row);
}

}  // namespace neuralts::serve
