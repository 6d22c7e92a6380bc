#include "serve/committer.hpp"

#include <chrono>
#include <utility>

namespace neuralts::serve {

bool Committer::submit(std::unique_ptr<Submission>& submission) {
  const std::size_t count = submission->entries.size();
  bool asleep = false;
  {
    const std::lock_guard lock(mutex_);
    if (pending_ + count > pending_max_) return false;
    pending_ += count;
    queue_.push_back(std::move(submission));
    asleep = std::exchange(asleep_, false);
  }
  if (asleep) waiting_.notify_one();
  return true;
}

// Who submits never waits for more than a swap.
void Committer::take_all() {
  taken_.clear();
  next_ = 0;
  const std::lock_guard lock(mutex_);
  taken_.swap(queue_);
}

void Committer::take_batch() {
  batch_.clear();
  entries_.clear();
  if (next_ == taken_.size()) take_all();
  while (next_ < taken_.size() && entries_.size() < batch_max_) {
    auto& submission = batch_.emplace_back(std::move(taken_[next_++]));
    for (Entry& entry : submission->entries) entries_.push_back(std::move(entry));
  }
}

bool Committer::step() {
  take_batch();
  if (batch_.empty()) return false;
  const std::int64_t start_us = clock_.ticks_us();
  std::optional<JournalError> failure;
  try {
    journal_.append(entries_, time_.now_us());
    if (!entries_.empty()) time_.stored(entries_.back().time_us);
    if (observer_) observer_(entries_.size(), clock_.ticks_us() - start_us);
  } catch (const JournalError& error) {
    failure = error;
  } catch (const Error& error) {
    failure.emplace(JournalError::Why::failed, "journal", error.what(), "");
  }
  auto stored = entries_.begin();
  for (auto& submission : batch_) {
    for (Entry& entry : submission->entries) entry = std::move(*stored++);
    Submission& told = *submission;
    told.done(std::move(submission), failure ? &*failure : nullptr);
  }
  pending_ -= entries_.size();
  if (after_batch_) after_batch_();
  journal_.tidy();
  return true;
}

void Committer::wait(std::int64_t timeout_us) {
  std::unique_lock lock(mutex_);
  if (next_ < taken_.size()) return;
  asleep_ = queue_.empty();
  waiting_.wait_for(lock, std::chrono::microseconds(timeout_us), [&] { return woken_ || !queue_.empty(); });
  woken_ = asleep_ = false;
}

void Committer::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  waiting_.notify_one();
}

}  // namespace neuralts::serve
