#include "sim_shared.hpp"

#include <algorithm>
#include <utility>

namespace neuralts::serve {

namespace {

[[noreturn]] void lost() {
  throw JournalError(JournalError::Why::failed, "shared journal", "the connection was lost", "");
}

class SimReader final : public JournalReader {
 public:
  explicit SimReader(SimShared& shared) : shared_(shared) {}
  Sequence read(Sequence after, std::size_t limit, std::uint32_t loop, std::vector<Record>& out) override {
    return read(after, limit, out, [&](const Record& r) { return r.loop == loop || r.loop == 0; });
  }
  Sequence read_events(Sequence after, std::size_t limit, std::uint32_t loop, std::vector<Record>& out) override {
    return read(after, limit, out, [&](const Record& r) { return r.loop == loop && r.kind == Kind::event; });
  }
  std::optional<Record> find(Sequence sequence) override {
    shared_.reach();
    const auto& records = shared_.engine().records;
    if (sequence == 0 || sequence > records.size()) return std::nullopt;
    return records[sequence - 1].record;
  }

 private:
  template <class Wanted>
  Sequence read(Sequence after, std::size_t limit, std::vector<Record>& out, const Wanted& wanted) {
    shared_.reach();
    const auto& records = shared_.engine().records;
    const std::size_t end = out.size() + limit;
    for (; after < records.size() && out.size() < end; ++after)
      if (wanted(records[after].record)) out.push_back(records[after].record);
    return after;
  }
  SimShared& shared_;
};

}  // namespace

void SimShared::reach() const {
  if (cut || engine_.down) lost();
}

void SimShared::answer() {
  if (answers_to_lose == 0) return;
  --answers_to_lose;
  lost();
}

void SimShared::check_learner() const {
  reach();
  if (epoch_ != 0 && epoch_ != engine_.epoch)
    throw JournalError(JournalError::Why::failed, "shared journal", "another node learns now", "");
}

std::unique_ptr<JournalReader> SimShared::reader() { return std::make_unique<SimReader>(*this); }

void SimShared::store(std::vector<MergeItem> items, std::uint16_t writer) {
  std::vector<SimEngine::Waiting> waited = engine_.waiting;   // those whose event is not there yet wait on
  engine_.waiting.clear();
  for (auto& waiting : waited) items.push_back({&waiting.entry, 0, waiting.time_us, true});
  Merge merge(items, writer);
  const auto place = [&](Sequence sequence) {
    const Record& r = engine_.records[sequence - 1].record;
    return MergePlace{sequence, 1, r.loop, r.time_us};
  };
  for (const auto& [name, sequence] : engine_.names)
    if (merge.names().count(name.first) > 0) merge.know_name(name.first, place(sequence));
  for (const MergeOrigin& event : merge.events()) {
    if (event.writer == 0) continue;
    if (const auto found = engine_.origins.find(event); found != engine_.origins.end())
      merge.know_event(event, place(found->second));
  }
  for (const MergeKey& key : merge.keys())
    if (engine_.keys.count({key.event, key.key}) > 0) merge.know_key(key);
  MergeHead head{engine_.records.size() + 1, engine_.time_us, engine_.time_us_max, 1};
  merge.finish(head);
  engine_.time_us = head.time_us;
  for (const MergeRow& row : merge.rows()) {
    const Entry& entry = *row.item->entry;
    engine_.records.push_back({{row.sequence, entry.kind, row.loop, row.time_us, row.target, entry.payload},
                               row.item->origin == 0 ? std::uint16_t{0} : writer,
                               row.item->origin});
    if (entry.kind == Kind::event && row.item->origin != 0)
      engine_.origins[{writer, row.item->origin}] = row.sequence;
    for (const std::string* name : {&entry.name, &entry.alias})
      if (entry.kind == Kind::event && !name->empty()) engine_.names[{*name, row.loop}] = row.sequence;
    if (row.target != 0) engine_.keys.insert({row.target, entry.key});
  }
  for (const MergeItem* item : merge.waiting()) engine_.waiting.push_back({item->time_us, *item->entry});
}

void SimShared::append(std::span<Entry> batch, std::int64_t now_us) {
  reach();
  std::vector<MergeItem> items;
  for (Entry& entry : batch) items.push_back({&entry, 0, now_us, entry.writer != 0});
  store(std::move(items), 0);
  answer();
}

Sequence SimShared::ship(std::uint16_t writer, std::span<Parcel> parcels, Sequence sent) {
  reach();
  Sequence& done = engine_.shipped[writer];
  if (done > sent) throw NumberTaken(writer, done, sent);
  std::vector<MergeItem> items;
  for (Parcel& parcel : parcels) {
    if (parcel.origin <= done) continue;
    if (parcel.origin != done + items.size() + 1) throw ContractError("ship: a gap");
    items.push_back({&parcel.entry, parcel.origin, parcel.time_us, true});
  }
  const std::size_t count = items.size();
  if (count > 0) store(std::move(items), writer);
  done += count;
  answer();
  return done;
}

std::uint16_t SimShared::writer(const std::string& node, Sequence shipped) {
  reach();
  const auto number = static_cast<std::uint16_t>(engine_.writers.size() + 1);
  const auto [known, made] = engine_.writers.emplace(node, number);
  if (made) engine_.shipped[number] = shipped;
  return known->second;
}

Sequence SimShared::shipped(std::uint16_t writer) {
  reach();
  return engine_.shipped[writer];
}

bool SimShared::lead() {
  if (cut || engine_.down) return epoch_ = 0, false;
  if (engine_.learner == this && epoch_ == engine_.epoch) return true;
  epoch_ = 0;
  if (engine_.learner != nullptr && engine_.learner != this) return false;
  engine_.learner = this;
  epoch_ = ++engine_.epoch;
  return true;
}

void SimShared::put_checkpoint(std::uint32_t loop, const Checkpoint& checkpoint) {
  check_learner();
  engine_.checkpoints[loop] = checkpoint;
  answer();
}

std::optional<Checkpoint> SimShared::get_checkpoint(std::uint32_t loop) {
  reach();
  const auto found = engine_.checkpoints.find(loop);
  if (found == engine_.checkpoints.end()) return std::nullopt;
  return found->second;
}

void SimShared::drop_checkpoint(std::uint32_t loop) {
  reach();
  engine_.checkpoints.erase(loop);
}

void SimShared::put_model(std::uint32_t loop, const StoredModel& model, std::size_t keep) {
  check_learner();
  if (const auto other = std::exchange(engine_.before_model, nullptr)) other();
  auto& all = engine_.models[loop];
  const std::uint64_t newest = all.empty() ? 0 : all.rbegin()->first;
  if (model.version != newest + 1)
    throw ContractError("put_model: version " + std::to_string(model.version) + " after " +
                        std::to_string(newest));
  all[model.version] = model;
  while (all.size() > keep) all.erase(all.begin());
  answer();
}

std::vector<StoredModel> SimShared::models(std::uint32_t loop) {
  reach();
  std::vector<StoredModel> found;
  for (const auto& [version, model] : engine_.models[loop]) {
    found.insert(found.begin(), model);
    found.front().bytes.clear();
  }
  return found;
}

std::optional<StoredModel> SimShared::model(std::uint32_t loop, std::uint64_t version) {
  reach();
  const auto& all = engine_.models[loop];
  const auto found = all.find(version);
  if (found == all.end()) return std::nullopt;
  return found->second;
}

void SimShared::put_setting(const std::string& key, const std::string& value) {
  reach();
  engine_.settings[key] = value;
  answer();
}

std::optional<std::string> SimShared::get_setting(const std::string& key) {
  reach();
  const auto found = engine_.settings.find(key);
  if (found == engine_.settings.end()) return std::nullopt;
  return found->second;
}

std::vector<std::pair<std::string, std::string>> SimShared::settings(const std::string& prefix) {
  reach();
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& [key, value] : engine_.settings)
    if (key.starts_with(prefix)) found.emplace_back(key, value);
  return found;
}

void SimShared::drop_setting(const std::string& key) {
  reach();
  engine_.settings.erase(key);
}

}  // namespace neuralts::serve
