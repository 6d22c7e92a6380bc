// Which processor a thread of the service stays on, where there are few of them.
#pragma once

#include <cstddef>
#include <vector>

namespace neuralts::serve {

/// Threads that wake each other are gathered by the system on the processor of whoever wakes. So, where processors
/// are as many as doors or one more: each door stays on one, the committer on the one that is left over. Elsewhere
/// nothing is said. Whom others crowd out of its place, leaves it (PlaceWatch). A learner, which takes what is left
/// over, takes it where it is.
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

 private:
  bool few() const { return processors_.size() == doors_ || processors_.size() == doors_ + 1; }
  bool stay(bool on_its_own, std::size_t processor) const;
  void only(std::size_t processor) const;

  std::size_t doors_;
  std::vector<int> processors_;  // nothing: the system does not say
};

}  // namespace neuralts::serve
