// One decision problem: its configurations, and the model that serves it now. Shared by the threads that decide
// and the one that learns.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "base/shared_cell.hpp"
#include "serve/decide.hpp"
#include "serve/loop_config.hpp"

namespace neuralts::serve {

/// What a learner tells about itself, for metrics.
struct LearnerState {
  std::atomic<Sequence> position{0};
  std::atomic<std::int64_t> position_us{0};       ///< time of the last record it has read
  std::atomic<std::uint64_t> learned{0};
  std::atomic<std::uint64_t> published{0}, refused{0}, checkpoints{0}, failures{0};
  std::atomic<std::int64_t> training_us{0};       ///< spent on learning, in all
  std::atomic<std::int64_t> published_us{0};      ///< when the model that serves was published
  std::atomic<std::uint64_t> waiting{0};
};

class Loop {
 public:
  struct Current {
    std::uint32_t revision;
    LoopConfig config;
  };

  Loop(std::uint32_t id, std::string name, std::deque<LoopConfig> revisions);

  std::uint32_t id() const { return id_; }
  const std::string& name() const { return name_; }

  std::shared_ptr<const Current> current() const { return current_.load(); }
  /// Holds for ever: events name the revision they were decided under.
  const LoopConfig& config(std::uint32_t revision) const;
  std::deque<LoopConfig> revisions() const;
  void add_revision(const LoopConfig& config);

  std::shared_ptr<const Published> published() const { return published_.load(); }
  void publish(std::shared_ptr<const Published> published) { published_.store(std::move(published)); }

  /// Held by whoever stores a model and publishes it, so that versions follow each other and nothing is published over a
  /// model that a person has just held.
  std::unique_lock<std::mutex> begin_publishing() { return std::unique_lock(publishing_); }

  /// A person holds a model: nothing newer is published until it is released.
  std::atomic<bool> pinned{false};
  std::atomic<bool> deleted{false};
  LearnerState learner;

  /// The learner's numbers as JSON, a moment old.
  std::string stats() const;
  void set_stats(std::string json);

 private:
  const std::uint32_t id_;
  const std::string name_;
  std::mutex publishing_;
  mutable std::mutex mutex_;
  std::deque<LoopConfig> revisions_;    // references into it stay valid
  SharedCell<const Current> current_;
  SharedCell<const Published> published_;
  std::string stats_ = "{}";
};

}  // namespace neuralts::serve
