#include "serve/join.hpp"

#include <algorithm>
#include <numeric>

namespace neuralts::serve {

namespace {

constexpr std::size_t events_at_once = 256;
constexpr std::size_t rewards_max = 1000;  // of one event; more are surplus

}  // namespace

void SequenceSet::insert(Sequence sequence) {
  const std::uint64_t word = sequence / 64;
  if (words_.empty()) first_word_ = word;
  while (word < first_word_) {
    words_.push_front(0);
    --first_word_;
  }
  if (word - first_word_ >= words_.size()) words_.resize(word - first_word_ + 1);
  words_[word - first_word_] |= std::uint64_t{1} << sequence % 64;
}

bool SequenceSet::contains(Sequence sequence) const {
  const std::uint64_t word = sequence / 64;
  return word >= first_word_ && word - first_word_ < words_.size() &&
         (words_[word - first_word_] >> sequence % 64 & 1) != 0;
}

void SequenceSet::forget_below(Sequence sequence) {
  while (!words_.empty() && first_word_ < sequence / 64) {
    words_.pop_front();
    ++first_word_;
  }
}

void SequenceSet::save(Writer& out) const {
  out.value(first_word_);
  out.values(std::vector<std::uint64_t>(words_.begin(), words_.end()));
}

void SequenceSet::restore(Reader& in, Sequence last) {
  first_word_ = in.value<std::uint64_t>();
  const auto words = in.values<std::uint64_t>();
  const std::uint64_t end = last / 64 + 1;  // where all are forgotten the first word is the next
  if (first_word_ > end || words.size() > end - first_word_) in.fail();
  words_.assign(words.begin(), words.end());
}

double aggregate(Aggregation how, std::vector<double> rewards) {
  switch (how) {
    case Aggregation::earliest: return rewards.front();
    case Aggregation::sum: return std::accumulate(rewards.begin(), rewards.end(), 0.0);
    case Aggregation::average:
      return std::accumulate(rewards.begin(), rewards.end(), 0.0) / static_cast<double>(rewards.size());
    case Aggregation::min: return *std::min_element(rewards.begin(), rewards.end());
    case Aggregation::max: return *std::max_element(rewards.begin(), rewards.end());
    case Aggregation::median: break;
  }
  std::sort(rewards.begin(), rewards.end());
  const std::size_t middle = rewards.size() / 2;
  return rewards.size() % 2 == 1 ? rewards[middle] : (rewards[middle - 1] + rewards[middle]) / 2;
}

bool Join::refill(JournalReader& reader) {
  if (!open_.empty()) return true;
  std::vector<Record> events;
  const Sequence seen = reader.read_events(closed_, events_at_once, loop_, events);
  if (events.empty()) closed_ = std::max(closed_, seen);
  for (auto& event : events) {
    const std::int64_t close_us = event.time_us + config_of_(revision_of(event.payload)).window_us;
    open_.push_back({std::move(event), close_us});
  }
  return !open_.empty();
}

void Join::take(const Record& record, JournalReader& reader, const Settle& settle) {
  close_until(record.time_us, reader, settle);
  if (record.kind == Kind::reward || record.kind == Kind::activation) take_later(record, reader, settle);
}

void Join::close_until(std::int64_t now_us, JournalReader& reader, const Settle& settle) {
  while (refill(reader)) {
    if (open_.front().close_us > now_us) break;
    close(open_.front().event, settle);
    closed_ = open_.front().event.sequence;
    open_.pop_front();
  }
  settled_.forget_below(closed_);
}

void Join::close(const Record& event, const Settle& settle) {
  const auto found = waiting_.find(event.sequence);
  const Waiting waiting = found == waiting_.end() ? Waiting{} : found->second;
  if (found != waiting_.end()) waiting_.erase(found);
  if (settled_.contains(event.sequence)) return;
  const EventRecord content = decode_event(event.payload);
  const LoopConfig& config = config_of_(content.revision);
  if (content.deferred && !waiting.activated) {
    ++counts_.not_activated;
    return;
  }
  if (!waiting.rewards.empty())
    settle({event.sequence, event.time_us, &content, aggregate(config.aggregation, waiting.rewards), false,
            waiting.first_us - event.time_us});
  else if (config.has_default)
    settle({event.sequence, event.time_us, &content, config.default_reward, true, 0});
}

/// A reward or an activation.
void Join::take_later(const Record& record, JournalReader& reader, const Settle& settle) {
  const auto event = reader.find(record.target);
  if (!event || event->kind != Kind::event) return;  // its segment has been forgotten
  const EventRecord content = decode_event(event->payload);
  const LoopConfig& config = config_of_(content.revision);
  const bool reward = record.kind == Kind::reward;
  if (!reward && content.slots > 1) {  // a decision over several slots is shown as a whole
    Record next = record;
    ++next.target;
    take_later(next, reader, settle);
  }
  if (record.time_us >= event->time_us + config.window_us) {
    counts_.late += reward ? 1 : 0;
    return;
  }
  if (settled_.contains(record.target)) {
    counts_.surplus += reward ? 1 : 0;
    return;
  }
  Waiting& waiting = waiting_[record.target];
  if (!reward)
    waiting.activated = true;
  else if (waiting.rewards.size() < rewards_max)
    waiting.rewards.push_back(decode_reward(record.payload).value);
  else
    ++counts_.surplus;
  if (reward && waiting.rewards.size() == 1) waiting.first_us = record.time_us;
  if (config.aggregation != Aggregation::earliest || waiting.rewards.empty() ||
      (content.deferred && !waiting.activated))
    return;
  settled_.insert(record.target);
  settle({event->sequence, event->time_us, &content, waiting.rewards.front(), false,
          waiting.first_us - event->time_us});
  waiting_.erase(record.target);
}

std::optional<std::int64_t> Join::next_close_us(Sequence head, JournalReader& reader) {
  if (!refill(reader) || open_.front().event.sequence > head) return std::nullopt;
  return open_.front().close_us;
}

void Join::save(Writer& out) const {
  out.value(closed_);
  settled_.save(out);
  out.value<std::uint64_t>(waiting_.size());
  for (const auto& [sequence, waiting] : waiting_) {
    out.value(sequence);
    out.value(waiting.activated);
    out.value(waiting.first_us);
    out.values(waiting.rewards);
  }
  out.value(counts_);
}

void Join::restore(Reader& in, Sequence last) {
  closed_ = in.value<Sequence>();
  settled_.restore(in, last);
  const auto count = in.value<std::uint64_t>();
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto sequence = in.value<Sequence>();
    Waiting& waiting = waiting_[sequence];
    waiting.activated = in.value<std::uint8_t>() != 0;
    waiting.first_us = in.value<std::int64_t>();
    if (waiting.first_us < 0) in.fail();
    waiting.rewards = in.values<double>();
  }
  counts_ = in.value<JoinCounts>();
  open_.clear();
}

}  // namespace neuralts::serve
