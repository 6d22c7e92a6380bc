// The embedded engine against the promises of journal.hpp.
#include "journal_suite.hpp"
#include "serve/journal/sqlite_journal.hpp"
#include "sim_disk.hpp"

namespace neuralts::serve {

namespace {

class SqliteEngine final : public Engine {
 public:
  SqliteEngine() { reopen(); }
  Journal& journal() override { return *journal_; }
  void reopen() override {
    journal_.reset();
    SqliteOptions options;
    options.vfs = disk_.name();
    if (rotate_) options.segment_us_max = 1000;
    journal_ = std::make_unique<SqliteJournal>("j", options);
  }
  void rotate_soon() override { rotate_ = true; }

 private:
  SimDisk disk_{1};
  bool rotate_ = false;
  std::unique_ptr<SqliteJournal> journal_;
};

void append_large(Journal& journal, int count) {
  for (int i = 0; i < count; ++i) {
    Entry entry;
    entry.loop = 1;
    entry.payload = std::string(8000, 'x');
    journal.append(std::span(&entry, 1), 1000);
  }
}

std::size_t bytes_of_first_segment(SimDisk& disk) {
  for (const auto& [name, file] : disk.files())
    if (name.ends_with("000001.db")) return file->data.size();
  return 0;
}

}  // namespace

// Whoever waits for an append does not wait for it.
TEST(SqliteJournalTest, TheLogIsWrittenBackByTidy) {
  SimDisk disk(2);
  SqliteOptions options;
  options.vfs = disk.name();
  SqliteJournal journal("j", options);
  append_large(journal, 1);
  const std::size_t before = bytes_of_first_segment(disk);
  append_large(journal, 200);
  EXPECT_EQ(bytes_of_first_segment(disk), before);
  journal.tidy();
  EXPECT_GT(bytes_of_first_segment(disk), before + 200 * 8000U);
  const std::uint64_t operations = disk.operations();
  journal.tidy();
  EXPECT_EQ(disk.operations(), operations) << "nothing was left to do";
}

TEST(SqliteJournalTest, ADiskThatFailsThereGetsNoMore) {
  SimDisk disk(3);
  SqliteOptions options;
  options.vfs = disk.name();
  SqliteJournal journal("j", options);
  append_large(journal, 201);
  disk.fail_after(1);
  journal.tidy();
  append_large(journal, 1);
  EXPECT_EQ(journal.info().segments, 2U);
  std::vector<Record> records;
  EXPECT_EQ(journal.reader()->read(0, 1000, 1, records), 202U);
  EXPECT_EQ(records.size(), 202U);
}

TEST(SqliteJournalTest, ARecordThatNoJournalWritesIsRefused) {
  for (const char* damage : {"kind=0", "kind=257", "loop=-1", "time=-1", "time=9223372036854775807"}) {
    SimDisk disk(4);
    SqliteOptions options;
    options.vfs = disk.name();
    SqliteJournal journal("j", options);
    append_large(journal, 1);
    EXPECT_TRUE(journal.reader()->find(1));
    Database::writer("j/segment-000001.db", disk.name(), Sync::normal)
        .execute(("UPDATE records SET " + std::string(damage)).c_str());
    EXPECT_THROW((void)journal.reader()->find(1), Error) << damage;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, JournalTest,
                         testing::Values(EngineCase{"sqlite", [] { return std::make_unique<SqliteEngine>(); }}),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace neuralts::serve
