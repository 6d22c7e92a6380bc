// Batches of many writers become one journal: what is decided without an engine.
#include "serve/journal/merge.hpp"

#include <gtest/gtest.h>

namespace neuralts::serve {
namespace {

Entry named_reward(const std::string& name, std::uint32_t loop) {
  Entry entry;
  entry.kind = Kind::reward;
  entry.name = name;
  entry.loop = loop;
  return entry;
}

/// A reward for "x", an event of the loops 1 (sequence 7) and 2 (sequence 5).
Merge merge_of(Entry& entry, bool acknowledged) {
  Merge merge({{&entry, acknowledged ? Sequence{1} : 0, 100, acknowledged}}, acknowledged ? 3 : 0);
  merge.know_name("x", {7, 1, 1, 10});
  merge.know_name("x", {5, 1, 2, 10});
  MergeHead head{.next = 20, .time_us = 50, .time_us_max = 1000, .segment = 1};
  merge.finish(head);
  return merge;
}

TEST(MergeTest, ANameOfSeveralLoopsIsRefusedWhereItCanBe) {
  Entry entry = named_reward("x", 0);
  EXPECT_TRUE(merge_of(entry, false).rows().empty());
  EXPECT_EQ(entry.outcome, Outcome::ambiguous);
}

TEST(MergeTest, ANameOfSeveralLoopsThatWasAcknowledgedIsTheOldestEvents) {
  Entry entry = named_reward("x", 0);
  const Merge merge = merge_of(entry, true);
  ASSERT_EQ(merge.rows().size(), 1u);
  EXPECT_EQ(merge.rows()[0].target, 5u);
  EXPECT_EQ(merge.rows()[0].loop, 2u);
  EXPECT_EQ(entry.outcome, Outcome::stored);
}

TEST(MergeTest, ALoopThatIsSaidHolds) {
  Entry entry = named_reward("x", 1);
  const Merge merge = merge_of(entry, true);
  ASSERT_EQ(merge.rows().size(), 1u);
  EXPECT_EQ(merge.rows()[0].target, 7u);
}

}  // namespace
}  // namespace neuralts::serve
