// Which processor a thread of the service stays on, where there are few of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

namespace neuralts::serve {

/// Threads that wake each other are gathered by the system on the processor of whoever wakes. So, where processors
/// are as many as doors or one more: each door stays on one, the committer on the one that is left over. Elsewhere
/// nothing is said. Whom others crowd out of its place, leaves it (PlaceWatch). A learner, which takes what is left
/// over, takes it where it is. All threads of a service have one placement.
class Placement {
 public:
  /// Among the processors that the calling thread may use now. REQUIRES a thread that was not placed before. No
  /// doors count as one.
  explicit Placement(std::size_t doors);

  // Of the calling thread. Each says all of it: a thread begins where the one that made it stays. Whether it has a
  // place of its own.
  bool door(std::size_t number) const;
  bool committer() const;
  void anywhere() const;

  /// One door and the committer on two processors change places: somebody else has come to the door's, and beside
  /// the committer there is more room for it. Each goes to its new one when it asks again. Whether there are two.
  bool exchange() const;
  /// How often that was.
  unsigned exchanges() const { return exchanges_.load(std::memory_order_relaxed); }

 private:
  bool few() const { return processors_.size() == doors_ || processors_.size() == doors_ + 1; }
  bool stay(bool on_its_own, std::size_t place) const;

  std::size_t doors_;
  std::vector<int> processors_;  // nothing: the system does not say
  mutable std::atomic<unsigned> exchanges_{0};
};

}  // namespace neuralts::serve
