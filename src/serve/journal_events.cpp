#include "serve/journal_events.hpp"

#include <fmt/format.h>

#include <span>

namespace neuralts::serve {

namespace {

constexpr std::size_t records_at_once = 1000;

void put_actions(const EventRecord& record, std::span<const std::uint32_t> eligible, Event& event) {
  event.set_arms(eligible.size());
  double sum = 0;
  for (const float p : record.probabilities) sum += p;
  for (std::size_t i = 0; i < eligible.size(); ++i) {
    const std::uint32_t k = eligible[i];
    if (k == record.chosen) event.arm = i;
    event.actions.push_back(record.ids[k]);
    event.probabilities.push_back(record.shadow ? k == record.chosen : record.probabilities[k] / sum);
  }
}

void put_offer(const Offered& offered, std::span<const std::uint32_t> eligible, Event& event) {
  if (offered.form == Form::objects) {
    event.offer.objects.add_row(offered.objects.row(0));
    for (const std::uint32_t k : eligible) event.offer.objects.add_row(offered.objects.row(1 + k));
    return;
  }
  event.offer.length = offered.length;
  for (const std::uint32_t k : eligible) {
    const auto row = offered.vectors.begin() + static_cast<std::ptrdiff_t>(std::size_t{k} * offered.length);
    event.offer.numbers.insert(event.offer.numbers.end(), row, row + offered.length);
  }
}

}  // namespace

JournalEvents::JournalEvents(MakeReader make_reader, std::uint32_t loop, Join::ConfigOf config_of,
                             std::int64_t now_us)
    : make_reader_(std::move(make_reader)), loop_(loop), config_of_(std::move(config_of)), now_us_(now_us) {
  rewind();
}

void JournalEvents::rewind() {
  reader_ = make_reader_();
  finder_ = make_reader_();
  join_ = std::make_unique<Join>(loop_, config_of_);
  at_ = open_at_ = 0;
  joined_all_ = done_ = false;
  form_ = Form::none;
  ready_.clear();
}

bool JournalEvents::next(Event& out) {
  while (ready_.empty() && !done_) done_ = !read_more();
  if (ready_.empty()) return false;
  out = std::move(ready_.front());
  ready_.pop_front();
  place_ = fmt::format("event {}", out.id);
  return true;
}

/// False: that was all.
bool JournalEvents::read_more() {
  if (joined_all_) return read_open(), !ready_.empty();
  std::vector<Record> records;
  const Sequence before = at_;
  at_ = reader_->read(at_, records_at_once, loop_, records);
  const auto settle = [&](const Joined& joined) { add(joined.sequence, joined.time_us, *joined.event, &joined); };
  for (const Record& record : records) join_->take(record, *finder_, settle);
  if (at_ != before || !records.empty()) return true;
  join_->take({.kind = Kind::tick, .time_us = now_us_}, *finder_, settle);
  open_at_ = join_->closed();
  return joined_all_ = true;
}

void JournalEvents::read_open() {
  std::vector<Record> records;
  while (ready_.empty()) {
    records.clear();
    open_at_ = reader_->read_events(open_at_, records_at_once, loop_, records);
    if (records.empty()) return;
    for (const Record& record : records)
      if (!join_->settled(record.sequence))
        add(record.sequence, record.time_us, decode_event(record.payload), nullptr);
  }
}

bool JournalEvents::fits(const EventRecord& record) {
  if (record.form == Form::none) return false;
  const std::uint32_t wanted = config_of_(record.revision).length;
  if (form_ == Form::none && (wanted == 0 || wanted == record.length)) form_ = record.form, length_ = record.length;
  return record.form == form_ && record.length == length_;
}

void JournalEvents::add(Sequence sequence, std::int64_t time_us, const EventRecord& record, const Joined* joined) {
  if (!fits(record) || record.chosen_only) return;
  Event event;
  event.id = std::to_string(sequence);
  event.time = static_cast<double>(time_us) / 1e6;
  event.model = std::to_string(record.model);
  event.kept = record.kept;
  event.estimated = record.estimated;
  // An excluded action, or one that an earlier slot has taken, was not on offer: no other policy could have played it.
  eligible_actions(record.ids.size(), record.excluded, eligible_);
  put_actions(record, eligible_, event);
  if (joined != nullptr)
    event.reward = joined->reward, event.reward_time = static_cast<double>(time_us + joined->delay_us) / 1e6;
  offered_from(record, offered_);
  put_offer(offered_, eligible_, event);
  ready_.push_back(std::move(event));
}

}  // namespace neuralts::serve
