#include "serve/loop.hpp"

namespace neuralts::serve {

Loop::Loop(std::uint32_t id, std::string name, std::deque<LoopConfig> revisions)
    : id_(id),
      name_(std::move(name)),
      revisions_(std::move(revisions)),
      published_(std::make_shared<const Published>()) {
  current_.store(std::make_shared<const Current>(
      Current{static_cast<std::uint32_t>(revisions_.size() - 1), revisions_.back()}));
}

const LoopConfig& Loop::config(std::uint32_t revision) const {
  const std::lock_guard lock(mutex_);
  if (revision >= revisions_.size())
    throw Error(ErrorCode::corrupt, "loop " + name_,
                "an event names revision " + std::to_string(revision) + ", which is not there");
  return revisions_[revision];
}

std::deque<LoopConfig> Loop::revisions() const {
  const std::lock_guard lock(mutex_);
  return revisions_;
}

void Loop::add_revision(const LoopConfig& config) {
  const std::lock_guard lock(mutex_);
  revisions_.push_back(config);
  current_.store(
      std::make_shared<const Current>(Current{static_cast<std::uint32_t>(revisions_.size() - 1), config}));
}

std::string Loop::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

void Loop::set_stats(std::string json) {
  const std::lock_guard lock(mutex_);
  stats_ = std::move(json);
}

}  // namespace neuralts::serve
