#include "journal_suite.hpp"

namespace neuralts::serve {

namespace {

Entry event(std::uint32_t loop, const std::string& name = "", const std::string& payload = "p") {
  Entry entry;
  entry.loop = loop;
  entry.name = name;
  entry.payload = payload;
  return entry;
}

Entry reward(Sequence target, const std::string& key = "", const std::string& payload = "r") {
  Entry entry;
  entry.kind = Kind::reward;
  entry.target = target;
  entry.key = key;
  entry.payload = payload;
  return entry;
}

Entry named_reward(const std::string& name, std::uint32_t loop = 0, const std::string& key = "") {
  Entry entry = reward(0, key);
  entry.name = name;
  entry.loop = loop;
  return entry;
}

Entry append(Journal& journal, Entry entry, std::int64_t now_us = 1000) {
  journal.append({&entry, 1}, now_us);
  return entry;
}

}  // namespace

TEST_P(JournalTest, RecordsHaveSequencesWithoutAGapAndComeBackInOrder) {
  std::vector<Entry> batch = {event(1, "", "a"), event(2, "", "b"), event(1, "", "c")};
  journal().append(batch, 500);
  EXPECT_EQ(batch[0].sequence, 1U);
  EXPECT_EQ(batch[2].sequence, 3U);
  engine_->reopen();
  EXPECT_EQ(append(journal(), event(1, "", "d")).sequence, 4U);
  const auto records = all(1);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].payload, "a");
  EXPECT_EQ(records[1].payload, "c");
  EXPECT_EQ(records[2].sequence, 4U);
  EXPECT_EQ(records[0].time_us, 500);
}

TEST_P(JournalTest, TimeNeverGoesBack) {
  append(journal(), event(1), 5000);
  EXPECT_EQ(append(journal(), event(1), 10).time_us, 5000);
  engine_->reopen();
  EXPECT_EQ(append(journal(), event(1), 10).time_us, 5000);
}

TEST_P(JournalTest, AReaderSeesWhatIsStoredAndWhereItStopped) {
  auto reader = journal().reader();
  std::vector<Record> out;
  EXPECT_EQ(reader->read(0, 10, 1, out), 0U);
  for (int i = 0; i < 5; ++i) append(journal(), event(i % 2 == 0 ? 1 : 2));
  EXPECT_EQ(reader->read(0, 2, 1, out), 3U);  // 1 and 3 are of loop 1
  EXPECT_EQ(out.size(), 2U);
  EXPECT_EQ(reader->read(3, 10, 1, out), 5U);
  EXPECT_EQ(out.size(), 3U);
  EXPECT_EQ(reader->find(4)->loop, 2U);
  EXPECT_FALSE(reader->find(6));
  EXPECT_FALSE(reader->find(0));
}

TEST_P(JournalTest, ANameIsStoredOncePerLoop) {
  EXPECT_EQ(append(journal(), event(1, "x", "first")).outcome, Outcome::stored);
  const Entry again = append(journal(), event(1, "x", "second"));
  EXPECT_EQ(again.outcome, Outcome::duplicate);
  EXPECT_EQ(again.sequence, 1U);
  EXPECT_EQ(again.first_payload, "first");
  EXPECT_EQ(append(journal(), event(2, "x")).outcome, Outcome::stored);
  std::vector<Entry> twins = {event(1, "y", "one"), event(1, "y", "two")};
  journal().append(twins, 1000);
  EXPECT_EQ(twins[1].outcome, Outcome::duplicate);
  EXPECT_EQ(twins[1].first_payload, "one");
  EXPECT_EQ(all(1).size(), 2U);
}

TEST_P(JournalTest, ARewardIsStoredOncePerKey) {
  append(journal(), event(7));
  Entry first = append(journal(), reward(1, "k"), 2000);
  EXPECT_EQ(first.outcome, Outcome::stored);
  EXPECT_EQ(first.event_loop, 7U);
  EXPECT_EQ(first.event_time_us, 1000);
  EXPECT_EQ(append(journal(), reward(1, "k")).outcome, Outcome::duplicate);
  EXPECT_EQ(append(journal(), reward(1, "l")).outcome, Outcome::stored);
  EXPECT_EQ(append(journal(), reward(2, "k")).outcome, Outcome::unknown);  // a reward is no event
  EXPECT_EQ(append(journal(), reward(99)).outcome, Outcome::unknown);
  engine_->reopen();
  EXPECT_EQ(append(journal(), reward(1, "k")).outcome, Outcome::duplicate);
  EXPECT_EQ(all(7).size(), 3U);
}

TEST_P(JournalTest, RewardsByNameFindTheirLoop) {
  append(journal(), event(1, "x"));
  EXPECT_EQ(append(journal(), named_reward("x")).outcome, Outcome::stored);
  append(journal(), event(2, "x"));
  EXPECT_EQ(append(journal(), named_reward("x", 0, "b")).outcome, Outcome::ambiguous);
  EXPECT_EQ(append(journal(), named_reward("x", 2)).event_loop, 2U);
  EXPECT_EQ(append(journal(), named_reward("nobody")).outcome, Outcome::unknown);
  Entry two_names = event(1, "event");
  two_names.alias = "event/slot";
  append(journal(), two_names);
  EXPECT_EQ(append(journal(), named_reward("event/slot")).outcome, Outcome::stored);
  EXPECT_EQ(append(journal(), named_reward("event")).outcome, Outcome::duplicate);
}

TEST_P(JournalTest, SegmentsChangeNothingButFiles) {
  engine_->rotate_soon();
  engine_->reopen();
  for (int i = 0; i < 20; ++i) append(journal(), event(1, "e" + std::to_string(i)), 1000 + i * 700);
  EXPECT_GT(journal().info().segments, 5U);
  EXPECT_EQ(all(1).size(), 20U);
  EXPECT_EQ(append(journal(), event(1, "e0"), 15000).outcome, Outcome::duplicate);
  EXPECT_EQ(append(journal(), reward(1, "k"), 15000).outcome, Outcome::stored);
  EXPECT_EQ(append(journal(), reward(1, "k"), 40000).outcome, Outcome::duplicate);
  engine_->reopen();
  EXPECT_EQ(append(journal(), reward(1, "k"), 60000).outcome, Outcome::duplicate);
  auto reader = journal().reader();
  std::vector<Record> some;
  Sequence at = 0;
  for (int i = 0; i < 30; ++i) at = reader->read(at, 3, 1, some);
  EXPECT_EQ(some.size(), 21U);
  for (std::size_t i = 1; i < some.size(); ++i) EXPECT_EQ(some[i].sequence, some[i - 1].sequence + 1);
}

TEST_P(JournalTest, OldSegmentsAreForgottenWhole) {
  engine_->rotate_soon();
  engine_->reopen();
  for (int i = 0; i < 10; ++i) append(journal(), event(1), 10000 * (i + 1));
  EXPECT_GT(journal().drop_before(50000), 2U);
  const auto left = all(1);
  ASSERT_FALSE(left.empty());
  EXPECT_GT(left.front().sequence, 1U);
  EXPECT_GE(left.back().time_us, 100000);
  EXPECT_EQ(append(journal(), reward(1), 110000).outcome, Outcome::unknown);
  EXPECT_FALSE(journal().reader()->find(1));
  engine_->reopen();
  EXPECT_EQ(all(1).front().sequence, left.front().sequence);
}

TEST_P(JournalTest, CheckpointsModelsSettingsAndLeasesStay) {
  journal().put_checkpoint(3, {17, std::string("a\0b", 3)});
  journal().put_checkpoint(3, {18, std::string("c\0d", 3)});
  for (std::uint64_t v = 1; v <= 12; ++v)
    journal().put_model(3, {v, v * 10, 5, "sha", "{}", "m" + std::to_string(v)}, 10);
  EXPECT_THROW(journal().put_model(3, {12, 0, 0, "", "{}", ""}, 10), ContractError);
  EXPECT_THROW(journal().put_model(3, {14, 0, 0, "", "{}", ""}, 10), ContractError);
  journal().put_setting("loop/1", "one");
  journal().put_setting("loop/2", "two");
  journal().put_setting("secret", "s");
  EXPECT_TRUE(journal().lease("learner", "a", 0, 100));
  EXPECT_FALSE(journal().lease("learner", "b", 50, 200));
  EXPECT_TRUE(journal().lease("learner", "a", 60, 110));
  EXPECT_TRUE(journal().lease("learner", "b", 110, 200));
  engine_->reopen();
  EXPECT_EQ(journal().get_checkpoint(3)->position, 18U);
  EXPECT_EQ(journal().get_checkpoint(3)->bytes, std::string("c\0d", 3));
  EXPECT_FALSE(journal().get_checkpoint(4));
  EXPECT_EQ(journal().models(3).size(), 10U);
  EXPECT_EQ(journal().models(3).front().version, 12U);
  EXPECT_EQ(journal().model(3, 5)->bytes, "m5");
  EXPECT_FALSE(journal().model(3, 2));
  EXPECT_EQ(journal().settings("loop/").size(), 2U);
  EXPECT_EQ(*journal().get_setting("secret"), "s");
  EXPECT_FALSE(journal().lease("learner", "a", 150, 300));
}

}  // namespace neuralts::serve
