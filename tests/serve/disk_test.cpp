// A journal on a disk that loses power, fails and fills up: what was acknowledged is there, and nothing else
// counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "serve/journal/sqlite_journal.hpp"
#include "sim_disk.hpp"

namespace neuralts::serve {

namespace {

/// A writer that remembers what it was told is stored.
class Writer {
 public:
  explicit Writer(SimDisk& disk) : disk_(disk) {
    options_.vfs = disk.name();
    options_.segment_us_max = 40;
  }

  bool open() {
    try {
      journal_ = std::make_unique<SqliteJournal>("j", options_);
      return true;
    } catch (const JournalError&) {
      journal_.reset();
      return false;
    }
  }
  void close() { journal_.reset(); }
  SqliteJournal& journal() { return *journal_; }

  /// A batch of one to four events and a checkpoint now and then. False: it was refused.
  bool write(Stream& chance) {
    std::vector<Entry> batch(1 + chance.below(4));
    for (Entry& entry : batch) {
      entry.loop = 1;
      entry.name = "e" + std::to_string(++made_);
      entry.payload = std::string(20 + chance.below(3000), static_cast<char>('a' + made_ % 26));
    }
    try {
      journal_->append(batch, ++time_us_);
      for (const Entry& entry : batch) acknowledged_[entry.sequence] = entry.payload;
      if (chance.below(8) == 0) checkpoint(batch.back().sequence);
      return true;
    } catch (const JournalError&) {
      return false;
    }
  }

  void checkpoint(Sequence position) {
    try {
      journal_->put_checkpoint(1, {position, std::string(5000, 'c')});
      checkpoint_ = position;
    } catch (const JournalError&) {
    }
  }

  void expect_all() {
    std::vector<Record> records;
    journal_->reader()->read(0, 1000000, 1, records);
    std::map<Sequence, std::string> there;
    Sequence before = 0;
    for (const Record& record : records) {
      ASSERT_GT(record.sequence, before);
      before = record.sequence;
      there[record.sequence] = record.payload;
    }
    for (const auto& [sequence, payload] : acknowledged_)
      ASSERT_EQ(there[sequence], payload) << "record " << sequence;
    const auto checkpoint = journal_->get_checkpoint(1);
    ASSERT_GE(checkpoint ? checkpoint->position : 0, checkpoint_);
  }
  std::size_t acknowledged() const { return acknowledged_.size(); }

 private:
  SimDisk& disk_;
  SqliteOptions options_;
  std::unique_ptr<SqliteJournal> journal_;
  std::map<Sequence, std::string> acknowledged_;
  Sequence checkpoint_ = 0;
  std::uint64_t made_ = 0;
  std::int64_t time_us_ = 0;
};

}  // namespace

// Power goes at the n-th operation of a history of about sixty batches, for every n; scripts/gate power: with
// further seeds.
TEST(DiskTest, PowerLostAnywhereLosesNothingAcknowledged) {
  const char* wanted = std::getenv("NEURALTS_POWER_POINTS");
  const std::uint64_t points = wanted == nullptr ? 1000 : std::strtoull(wanted, nullptr, 10);
  std::size_t acknowledged = 0;
  for (std::uint64_t point = 1; point <= points; ++point) {
    SimDisk disk(point);
    Writer writer(disk);
    Stream chance(point, Purpose::data_order);
    disk.lose_power_after(1 + point % 700);
    if (writer.open())
      for (int i = 0; i < 60 && disk.powered(); ++i) writer.write(chance);
    disk.lose_power();
    writer.close();
    disk.restore_power();
    ASSERT_TRUE(writer.open()) << "point " << point;
    ASSERT_NO_FATAL_FAILURE(writer.expect_all()) << "point " << point;
    ASSERT_TRUE(writer.write(chance)) << "point " << point;
    acknowledged += writer.acknowledged();
  }
  EXPECT_GT(acknowledged, points);
}

TEST(DiskTest, AnyFailingOperationIsNeverAcknowledgedAndTheNextSegmentGoesOn) {
  const char* wanted = std::getenv("NEURALTS_FAULTS");
  const std::uint64_t operations = wanted == nullptr ? 250 : std::strtoull(wanted, nullptr, 10);
  std::size_t refused = 0, again = 0;
  for (std::uint64_t n = 1; n <= operations; ++n) {
    SimDisk disk(n);
    Writer writer(disk);
    Stream chance(n, Purpose::data_order);
    if (!writer.open()) continue;
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(writer.write(chance));
    disk.fail_after(n);
    bool was_refused = false;
    for (std::uint64_t i = 0; i < std::max<std::uint64_t>(30, operations / 8); ++i) {
      if (writer.write(chance)) {
        again += was_refused;
      } else {
        was_refused = true;
        ++refused;
        EXPECT_TRUE(writer.journal().info().failed);
      }
    }
    disk.fail_after(0);
    ASSERT_TRUE(writer.write(chance)) << "operation " << n;
    EXPECT_FALSE(writer.journal().info().failed);
    ASSERT_NO_FATAL_FAILURE(writer.expect_all()) << "operation " << n;
    disk.lose_power();  // and what the failed sync left behind comes to light, or not
    writer.close();
    disk.restore_power();
    ASSERT_TRUE(writer.open()) << "operation " << n;
    ASSERT_NO_FATAL_FAILURE(writer.expect_all()) << "operation " << n;
  }
  EXPECT_GT(refused, 50U);
  EXPECT_GT(again, 50U);
}

TEST(DiskTest, AFullDiskIsSaidAndGoesOnWhenThereIsRoom) {
  SimDisk disk(1);
  Writer writer(disk);
  Stream chance(1, Purpose::data_order);
  ASSERT_TRUE(writer.open());
  const char* wanted = std::getenv("NEURALTS_FULL");
  const std::uint64_t rounds = wanted == nullptr ? 20 : std::strtoull(wanted, nullptr, 10);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    disk.limit(disk.used() + 5000);
    bool refused = false;
    for (int i = 0; i < 40; ++i) refused = !writer.write(chance) || refused;
    EXPECT_TRUE(refused);
    disk.limit(~std::uint64_t{0});
    ASSERT_TRUE(writer.write(chance));
    ASSERT_NO_FATAL_FAILURE(writer.expect_all());
  }
  disk.kill_process();
  writer.close();
  ASSERT_TRUE(writer.open());
  writer.expect_all();
}

TEST(DiskTest, EveryAcknowledgementFollowsASync) {
  SimDisk disk(1);
  Writer writer(disk);
  Stream chance(1, Purpose::data_order);
  ASSERT_TRUE(writer.open());
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t before = disk.syncs();
    ASSERT_TRUE(writer.write(chance));
    ASSERT_GT(disk.syncs(), before);
  }
}

}  // namespace neuralts::serve
