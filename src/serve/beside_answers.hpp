// Where a client stays that shares two processors with the service it asks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace neuralts::serve {

/// The system sends whoever wakes up to the processor that rests at that moment: the door's, which rests between two
/// requests and is needed again at once. On two processors the door fits on one, client and committer fit on the
/// other, and in no other way all three. The committer sends the answers to what was accepted: the client stays where
/// most of them come from. One thread's.
class BesideAnswers {
 public:
  /// Of a thread that may use these.
  explicit BesideAnswers(std::vector<int> processors) : processors_(std::move(processors)) {}

  /// Whether it matters where the next answer comes from: never where processors are not two, and once there is a
  /// place one of many tells enough.
  bool asks() {
    if (processors_.size() != 2) return false;
    return !place_ || ++unasked_ % asked_of == 0;
  }
  /// It came from this one. Where to be from now on; nothing: where the thread is.
  std::optional<int> came_from(int processor) {
    const auto at = std::find(processors_.begin(), processors_.end(), processor);
    if (at == processors_.end()) return {};
    ++votes_[static_cast<std::size_t>(at - processors_.begin())];
    if (votes_[0] + votes_[1] < votes_needed) return {};
    const int most = processors_[votes_[1] > votes_[0] ? 1 : 0];
    votes_ = {};
    if (place_ == most) return {};
    return place_ = most;
  }

 private:
  static constexpr unsigned votes_needed = 32, asked_of = 16;

  std::vector<int> processors_;
  std::array<unsigned, 2> votes_{};
  unsigned unasked_ = 0;
  std::optional<int> place_;
};

}  // namespace neuralts::serve
