#include "serve/node/spool_journal.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "neuralts/archive.hpp"
#include "serve/node/parcel.hpp"

namespace neuralts::serve {

namespace {

constexpr std::int64_t away_us = 1'000'000;  // a shared journal that was away is not asked again before
constexpr std::int64_t names_us = 3 * 86'400'000'000;
constexpr const char* copies = "copy/";

std::string model_key(std::uint32_t loop) { return fmt::format("{}model/{}", copies, loop); }

std::string bytes_of(const StoredModel& model) {
  Writer out;
  out.value(model.version);
  out.value(model.position);
  out.value(model.time_us);
  for (const std::string* text : {&model.sha256, &model.note, &model.bytes}) out.text(*text);
  return {out.bytes().begin(), out.bytes().end()};
}

StoredModel model_from(const std::string& bytes) {
  Reader in({bytes.data(), bytes.size()}, "spool");
  StoredModel model;
  model.version = in.value<std::uint64_t>();
  model.position = in.value<Sequence>();
  model.time_us = in.value<std::int64_t>();
  for (std::string* text : {&model.sha256, &model.note, &model.bytes}) *text = in.text();
  if (!in.at_end()) in.fail();
  return model;
}

void take_outcome(Entry& entry, Entry&& stored) {
  entry.outcome = stored.outcome;
  entry.sequence = stored.sequence;
  entry.time_us = stored.time_us;
  entry.event_loop = stored.event_loop;
  entry.event_time_us = stored.event_time_us;
  if (!stored.first_payload.empty()) entry.first_payload = unwrap(stored.first_payload).payload;
}

}  // namespace

/// What the spool can check itself, it does: names, keys and events of its own.
Entry SpoolJournal::spooled(const Entry& entry) const {
  Entry inner = entry;
  inner.payload = wrap(entry);
  const bool later = entry.kind == Kind::reward || entry.kind == Kind::activation;
  if (later && entry.target != 0 && entry.writer != writer_) {
    inner.kind = Kind::parcel;
    inner.target = 0;
  }
  return inner;
}

void SpoolJournal::append(std::span<Entry> batch, std::int64_t now_us) {
  std::vector<Entry> inner;
  inner.reserve(batch.size());
  for (const Entry& entry : batch) inner.push_back(spooled(entry));
  spool_.append(inner, now_us);
  last_append_us_ = now_us;
  std::vector<Entry> strangers;
  std::vector<std::size_t> whose;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const bool parcel = inner[i].kind == Kind::parcel;
    if (inner[i].outcome == Outcome::unknown) {
      strangers.push_back(std::move(inner[i]));
      strangers.back().kind = Kind::parcel;
      strangers.back().target = 0;
      whose.push_back(i);
      continue;
    }
    take_outcome(batch[i], std::move(inner[i]));
    if (parcel) batch[i].outcome = Outcome::forwarded;
  }
  if (strangers.empty()) return;
  spool_.append(strangers, now_us);
  for (std::size_t i = 0; i < whose.size(); ++i) {
    take_outcome(batch[whose[i]], std::move(strangers[i]));
    batch[whose[i]].outcome = Outcome::forwarded;
  }
}

JournalInfo SpoolJournal::info() {
  JournalInfo info = spool_.info();
  const JournalInfo shared = shared_.info();
  info.first = shared.first;
  info.last = shared.last;
  return info;
}

std::size_t SpoolJournal::drop_before(std::int64_t time_us) {
  drop_before_us_ = time_us;
  return spool_.drop_before(std::min(shipped_us_.load(), last_append_us_ - names_us));
}

std::size_t SpoolJournal::drop_shared() {
  const std::int64_t time_us = drop_before_us_.exchange(0);
  return learning_ && time_us != 0 ? shared_.drop_before(time_us) : 0;
}

std::optional<Checkpoint> SpoolJournal::get_checkpoint(std::uint32_t loop) {
  if (!learning_) return std::nullopt;
  return shared_.get_checkpoint(loop);
}

/// What the shared journal says, or what the spool remembers of it. Not from memory while a change is under way: it
/// would write an old state over a new one.
template <class Ask, class Remembered>
auto SpoolJournal::ask(const Ask& ask_shared, const Remembered& remembered) -> decltype(remembered()) {
  if (turns_ == 0 && clock_.ticks_us() < away_until_us_) return remembered();
  try {
    return ask_shared();
  } catch (const JournalError&) {
    away_until_us_ = clock_.ticks_us() + away_us;
    if (turns_ > 0) throw;
    return remembered();
  }
}

// A copy for times without the shared journal: where the spool's disk is full there is none, and what was
// done or asked for holds all the same.
void SpoolJournal::remember(const std::string& key, const std::string& value) try {
  if (spool_.get_setting(key) != value) spool_.put_setting(key, value);
} catch (const JournalError&) {
}

/// The newest of a loop.
void SpoolJournal::remember(std::uint32_t loop, const StoredModel& model) {
  const auto copy = copy_of(loop);
  if (!copy || copy->version < model.version) remember(model_key(loop), bytes_of(model));
}

/// A copy that cannot be read is none: the next model takes its place.
std::optional<StoredModel> SpoolJournal::copy_of(std::uint32_t loop) {
  const auto bytes = spool_.get_setting(model_key(loop));
  try {
    return bytes ? std::optional(model_from(*bytes)) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void SpoolJournal::put_model(std::uint32_t loop, const StoredModel& model, std::size_t keep) {
  shared_.put_model(loop, model, keep);
  remember(loop, model);
}

std::vector<StoredModel> SpoolJournal::models(std::uint32_t loop) {
  return ask([&] { return shared_.models(loop); },
             [&] {
               std::vector<StoredModel> found;
               if (auto copy = copy_of(loop)) found.push_back(std::move(*copy));
               if (!found.empty()) found.back().bytes.clear();
               return found;
             });
}

std::optional<StoredModel> SpoolJournal::model(std::uint32_t loop, std::uint64_t version) {
  const auto copy = [&] {
    auto model = copy_of(loop);
    if (model && model->version != version) model.reset();
    return model;
  };
  return ask(
      [&] {
        auto model = shared_.model(loop, version);
        if (model) remember(loop, *model);
        return model;
      },
      copy);
}

void SpoolJournal::put_setting(const std::string& key, const std::string& value) {
  shared_.put_setting(key, value);
  remember(copies + key, value);
}

std::optional<std::string> SpoolJournal::get_setting(const std::string& key) {
  return ask(
      [&] {
        auto value = shared_.get_setting(key);
        if (value) remember(copies + key, *value);
        return value;
      },
      [&] { return spool_.get_setting(copies + key); });
}

std::vector<std::pair<std::string, std::string>> SpoolJournal::settings(const std::string& prefix) {
  return ask(
      [&] {
        auto found = shared_.settings(prefix);
        for (const auto& [key, value] : found) remember(copies + key, value);
        return found;
      },
      [&] {
        auto found = spool_.settings(copies + prefix);
        for (auto& [key, value] : found) key.erase(0, std::string_view(copies).size());
        return found;
      });
}

std::shared_ptr<void> SpoolJournal::turn() {
  auto turn = ask([&] { return shared_.turn(); }, [] { return std::shared_ptr<void>(); });
  if (!turn) return nullptr;
  ++turns_;
  void* const held = turn.get();
  return {held, [this, turn = std::move(turn)](void*) { --turns_; }};
}

}  // namespace neuralts::serve
