// Rewards that stand in lines of their own, by the decision's id.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace neuralts {

struct LateReward {
  double reward = 0, time = 0;
  std::size_t line = 0;    ///< where it stands
  std::uint32_t file = 0;  ///< which of the log's files that is
  bool used = false;
};

/// Ids lie behind one another in the order of their coming, which is nearly that of the decisions: joining runs
/// through memory instead of jumping in it, and an entry costs its id and 56 to 72 bytes.
class LateRewards {
 public:
  /// False: the id has one already, which stays.
  bool add(std::string_view id, const LateReward& reward);
  /// Null where there is none. Holds until the next add().
  LateReward* find(std::string_view id);
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  /// The first in the order of coming that was never used; null: all were.
  const LateReward* first_unused() const;

 private:
  struct Entry {
    std::uint64_t hash;
    std::size_t id_begin;
    LateReward reward;
  };
  std::string_view id_of(std::size_t entry) const;
  /// The slot that holds the id, or the free one where it belongs.
  std::size_t slot_of(std::string_view id, std::uint64_t hash) const;
  void grow();

  std::vector<std::uint32_t> slots_;  // a power of two of them; number of the entry from 1 on, 0: free
  std::vector<Entry> entries_;
  std::string ids_;
};

}  // namespace neuralts
