#include "serve/committer.hpp"

#include <chrono>

namespace neuralts::serve {

bool Committer::submit(std::vector<Entry> entries, Done done) {
  const std::size_t count = entries.size();
  {
    const std::lock_guard lock(mutex_);
    if (pending_ + count > pending_max_) return false;
    pending_ += count;
    queue_.push_back({std::move(entries), std::move(done)});
  }
  waiting_.notify_one();
  return true;
}

void Committer::take_items() {
  batch_.clear();
  entries_.clear();
  const std::lock_guard lock(mutex_);
  while (taken_ < queue_.size() && entries_.size() < batch_max_) {
    Item& item = queue_[taken_++];
    for (Entry& entry : item.entries) entries_.push_back(std::move(entry));
    batch_.push_back(std::move(item));
  }
  if (taken_ == queue_.size()) {
    queue_.clear();
    taken_ = 0;
  }
}

bool Committer::step() {
  take_items();
  if (batch_.empty()) return false;
  const std::int64_t start_us = clock_.ticks_us();
  std::optional<JournalError> failure;
  try {
    journal_.append(entries_, clock_.now_us());
    if (observer_) observer_(entries_.size(), clock_.ticks_us() - start_us);
  } catch (const JournalError& error) {
    failure = error;
  } catch (const Error& error) {
    failure.emplace(JournalError::Why::failed, "journal", error.what(), "");
  }
  std::size_t at = 0;
  for (Item& item : batch_) {
    item.done(std::span(entries_).subspan(at, item.entries.size()), failure ? &*failure : nullptr);
    at += item.entries.size();
  }
  pending_ -= entries_.size();
  if (after_batch_) after_batch_();
  return true;
}

void Committer::wait(std::int64_t timeout_us) {
  std::unique_lock lock(mutex_);
  waiting_.wait_for(lock, std::chrono::microseconds(timeout_us), [&] { return woken_ || taken_ < queue_.size(); });
  woken_ = false;
}

void Committer::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  waiting_.notify_one();
}

}  // namespace neuralts::serve
