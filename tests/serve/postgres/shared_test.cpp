// What a shared journal promises beyond a journal: several processes at once, parcels of spools exactly once,
// one that learns; and what happens when the server dies.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <chrono>
#include <thread>

#include "main.hpp"
#include "serve/journal/postgres/postgres_journal.hpp"
#include "serve/journal/postgres/schema.hpp"

namespace neuralts::serve {

namespace {

class SharedTest : public testing::Test {
 protected:
  SharedTest() {
    static int made = 0;
    options_.schema = fmt::format("shared_{}", ++made);
  }
  std::unique_ptr<PostgresJournal> open(std::uint64_t instance) {
    return std::make_unique<PostgresJournal>(test_server().address(), options_, instance << 1);
  }
  std::vector<Record> all(Journal& journal, std::uint32_t loop = 1) {
    std::vector<Record> out;
    journal.reader()->read(0, 1000000, loop, out);
    return out;
  }
  PostgresOptions options_;
};

constexpr Sequence everything = ~Sequence{0};  // whoever sent it

Parcel event(Sequence origin, const std::string& name = "", std::int64_t time_us = 1000) {
  Parcel parcel{origin, time_us, {}};
  parcel.entry.loop = 1;
  parcel.entry.name = name;
  parcel.entry.payload = fmt::format("event {} {}", origin, name);
  return parcel;
}

Parcel reward(Sequence origin, std::uint16_t writer, Sequence target, const std::string& name = "",
              const std::string& key = "k") {
  Parcel parcel{origin, 2000, {}};
  parcel.entry.kind = Kind::reward;
  parcel.entry.writer = writer;
  parcel.entry.target = target;
  parcel.entry.name = name;
  parcel.entry.key = key;
  parcel.entry.payload = "reward";
  return parcel;
}

/// The server lets go of the last one's lock when it has noticed that its connection is gone.
bool leads_at_last(SharedJournal& journal) {
  for (int tries = 0; tries < 3000; ++tries) {
    if (journal.lead()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

}  // namespace

TEST_F(SharedTest, ManyAppendersGiveOneOrderWithoutAGap) {
  constexpr int threads = 4, batches = 25;
  std::vector<std::thread> running;
  open(100);
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      auto journal = open(static_cast<std::uint64_t>(t) + 1);
      for (int i = 0; i < batches; ++i) {
        std::vector<Entry> entries(3);
        for (Entry& entry : entries) entry.loop = 1, entry.payload = fmt::format("{}", t);
        journal->append(entries, i);
      }
    });
  auto reading = open(99);
  auto reader = reading->reader();
  std::vector<Record> seen;   // while they write: nothing may come later that is before what was read
  for (Sequence at = 0; seen.size() < threads * batches * 3;) at = reader->read(at, 7, 1, seen);
  for (auto& thread : running) thread.join();
  std::map<std::string, int> counts;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    ASSERT_EQ(seen[i].sequence, i + 1);
    ++counts[seen[i].payload];
  }
  for (const auto& [who, count] : counts) EXPECT_EQ(count, batches * 3);
}

TEST_F(SharedTest, ParcelsThatAnotherSentUnderTheSameNumberAreNotTakenForTheseOnes) {
  auto one = open(1), two = open(2);
  const std::uint16_t a = one->writer("a", 0);
  std::vector<Parcel> shared_past = {event(1)}, of_one = {event(2)}, of_two = {event(2), event(3)};
  one->ship(a, shared_past, 0);
  one->ship(a, of_one, 1);
  EXPECT_THROW(two->ship(a, of_two, 1), NumberTaken);
  const std::uint16_t other = two->writer("a's copy", 1);
  EXPECT_EQ(two->shipped(other), 1U);
  EXPECT_EQ(two->ship(other, of_two, 1), 3U);
  EXPECT_EQ(all(*one).size(), 4U);
}

TEST_F(SharedTest, ParcelsAreStoredOnceHoweverOftenTheyCome) {
  auto journal = open(1);
  const std::uint16_t a = journal->writer("a", 0), b = journal->writer("b", 0);
  EXPECT_NE(a, b);
  EXPECT_EQ(journal->writer("a", 0), a);
  std::vector<Parcel> first = {event(1), event(2), event(3)}, more = {event(2), event(3), event(4)};
  EXPECT_EQ(journal->ship(a, first, everything), 3U);
  EXPECT_EQ(journal->ship(a, first, everything), 3U);
  EXPECT_EQ(journal->ship(a, more, everything), 4U);
  EXPECT_EQ(open(2)->shipped(a), 4U);
  EXPECT_EQ(journal->shipped(b), 0U);
  std::vector<Parcel> late = {event(6)};
  EXPECT_THROW(journal->ship(a, late, everything), ContractError);
  EXPECT_EQ(all(*journal).size(), 4U);
}

TEST_F(SharedTest, RewardsFindTheirEventsInAnyOrderAndFromAnyNode) {
  auto journal = open(1);
  const std::uint16_t a = journal->writer("a", 0), b = journal->writer("b", 0);
  std::vector<Parcel> early = {reward(1, a, 2), reward(2, 0, 0, "named"), reward(3, a, 2), reward(4, a, 77)};
  EXPECT_EQ(journal->ship(b, early, everything), 4U);   // before their events
  EXPECT_TRUE(all(*journal).empty());
  std::vector<Parcel> events = {event(1, "named"), event(2), reward(3, a, 2)};
  journal->ship(a, events, everything);
  std::vector<Parcel> again = {reward(5, a, 1, "", "other"), reward(6, 0, 0, "named"), reward(7, a, 2, "", "k")};
  journal->ship(b, again, everything);
  const auto records = all(*journal);
  ASSERT_EQ(records.size(), 5U);   // two events, a reward each, and one of another key
  EXPECT_EQ(records[2].target, 2U);
  EXPECT_EQ(records[3].target, 1U);
  EXPECT_EQ(records[4].target, 1U);
  Entry direct;                     // an id of node a, rewarded at a node without a spool
  direct.kind = Kind::reward;
  direct.writer = a;
  direct.target = 2;
  direct.key = "direct";
  journal->append({&direct, 1}, 3000);
  EXPECT_EQ(direct.outcome, Outcome::stored);
  direct.target = 50;
  journal->append({&direct, 1}, 3000);
  EXPECT_EQ(direct.outcome, Outcome::forwarded);
}

TEST_F(SharedTest, ANameThatTwoNodesTookIsOneEvent) {
  auto journal = open(1);
  const std::uint16_t a = journal->writer("a", 0), b = journal->writer("b", 0);
  std::vector<Parcel> of_a = {event(1, "x")}, of_b = {event(1, "x"), event(2, "y")};
  journal->ship(a, of_a, everything);
  journal->ship(b, of_b, everything);
  EXPECT_EQ(of_b[0].entry.outcome, Outcome::duplicate);
  EXPECT_EQ(all(*journal).size(), 2U);
  EXPECT_EQ(journal->shipped(b), 2U);
}

// A standby that had not seen all was promoted, or an older copy restored; spools ship the rest again.
TEST_F(SharedTest, WhoReadsMissesNothingOfAJournalThatHasBecomeShorter) {
  auto one = open(1), two = open(2);
  const auto append = [&] {
    Entry entry;
    entry.loop = 1;
    two->append({&entry, 1}, 1000);
  };
  for (int i = 0; i < 3; ++i) append();
  EXPECT_EQ(all(*one).size(), 3U);
  Connection connection(test_server().address(), options_.schema, 5000);
  connection.execute("DELETE FROM records WHERE sequence > 1; UPDATE head SET next = 2");
  const auto read = [&](Sequence after, std::vector<Record>& seen) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until it is asked anew where the journal ends
    return one->reader()->read(after, 100, 1, seen);
  };
  std::vector<Record> seen;
  EXPECT_EQ(read(1, seen), 1U);
  append();
  EXPECT_EQ(read(1, seen), 2U);
  EXPECT_EQ(seen.size(), 1U);
}

TEST_F(SharedTest, OneLearnsAndAnEarlierOneIsRefused) {
  auto one = open(1), two = open(2);
  EXPECT_TRUE(one->lead());
  EXPECT_TRUE(one->lead());
  EXPECT_FALSE(two->lead());
  one->put_checkpoint(1, {5, "a"});
  EXPECT_TRUE(one->lead());
  {  // another takes the place without the first one's knowledge, as after a partition
    Connection connection(test_server().address(), options_.schema, 5000);
    connection.execute("UPDATE learner SET epoch = epoch + 1");
  }
  EXPECT_THROW(one->put_checkpoint(1, {6, "b"}), JournalError);
  EXPECT_THROW(one->put_model(1, {1, 5, 0, "", "{}", "m"}, 10), JournalError);
  EXPECT_FALSE(one->lead());
  EXPECT_TRUE(leads_at_last(*two));
  two->put_model(1, {1, 5, 0, "", "{}", "m"}, 10);
  EXPECT_EQ(two->get_checkpoint(1)->bytes, "a");
  two->resign();
  EXPECT_TRUE(leads_at_last(*one));
}

TEST_F(SharedTest, AChangeWakesWhoWaits) {
  auto one = open(1), two = open(2);
  one->wait_for_change(1);
  two->put_setting("loop/1", "x");
  one->wait_for_change(60'000);   // a test that is not woken takes a minute
  EXPECT_EQ(*one->get_setting("loop/1"), "x");
}

// Whatever the planner believes of tables without statistics, a lookup is a probe of an index: the entries of
// indexes that are read grow with the records, about ten for an event and its reward, and not with batches
// times the length of the journal.
TEST_F(SharedTest, LookupsCostTheSameHoweverLongTheJournalIs) {
  constexpr Sequence rounds = 2000, batch = 50;
  {
    auto journal = open(1);
    const std::uint16_t a = journal->writer("a", 0);
    auto reader = journal->reader();
    std::vector<Record> seen;
    Sequence at = 0;
    for (Sequence first = 1; first <= rounds * 2; first += batch * 2) {
      std::vector<Parcel> parcels;
      for (Sequence n = first; n < first + batch * 2; n += 2) {
        parcels.push_back(event(n, fmt::format("e{}", n)));
        parcels.push_back(reward(n + 1, a, n > batch * 4 ? n - batch * 4 : n));
      }
      journal->ship(a, parcels, everything);
      at = reader->read(at, 1000, 1, seen);
    }
    EXPECT_GE(seen.size(), rounds * 2 - batch * 4);
  }
  Connection connection(test_server().address(), options_.schema, 5000);
  std::int64_t read = 0;
  for (int tries = 0; tries < 100 && read == 0; ++tries) {  // the server counts when sessions end
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    connection.queue(
        "SELECT coalesce(sum(idx_tup_read), 0)::bigint FROM pg_stat_user_indexes WHERE schemaname = "
        "current_schema()");
    read = connection.run()[0].number(0, 0);
  }
  EXPECT_GT(read, 0);
  EXPECT_LT(read, static_cast<std::int64_t>(rounds) * 2 * 20);
}

// The server and all its processes are killed again and again while parcels are shipped and entries appended.
TEST_F(SharedTest, KilledServersLoseNothingAndDoubleNothing) {
  auto journal = open(1);
  const std::uint16_t a = journal->writer("a", 0);
  std::atomic<bool> done{false};
  std::thread killer([&] {
    for (int i = 0; i < 5; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(150 + 60 * i));
      test_server().kill();
      test_server().start();
    }
    done = true;
  });
  Sequence shipped = 0;
  std::vector<std::string> acknowledged;
  int refused = 0;
  for (int i = 0; !done || i < 50; ++i) {
    try {
      Entry entry;
      entry.loop = 1;
      entry.name = entry.payload = fmt::format("direct {}", i);
      journal->append({&entry, 1}, i);
      acknowledged.push_back(entry.payload);
      std::vector<Parcel> parcels = {event(shipped + 1), event(shipped + 2)};
      shipped = journal->ship(a, parcels, everything);
    } catch (const JournalError&) {
      ++refused;
      try {
        shipped = journal->shipped(a);
      } catch (const JournalError&) {
      }
    }
  }
  killer.join();
  std::map<std::string, int> there;
  Sequence before = 0;
  for (const Record& record : all(*journal)) {
    ASSERT_EQ(record.sequence, ++before);
    ++there[record.payload];
  }
  for (const auto& [what, count] : there) ASSERT_EQ(count, 1) << what;
  for (const std::string& what : acknowledged) ASSERT_EQ(there[what], 1) << what;
  for (Sequence n = 1; n <= shipped; ++n) ASSERT_EQ(there[fmt::format("event {} ", n)], 1) << n;
  std::printf("5 kills: %zu acknowledged, %lu shipped, %d refused\n", acknowledged.size(),
              static_cast<unsigned long>(shipped), refused);
}

// A file per version that was released holds what that version's tables looked like, with records in them.
TEST_F(SharedTest, EveryOlderVersionBecomesTheNewest) {
  const char* folder = std::getenv("NEURALTS_TEST_DATA");
  ASSERT_NE(folder, nullptr) << "NEURALTS_TEST_DATA names the folder of version-*.sql";
  for (std::size_t version = 1; version < schema_steps().size(); ++version) {
    std::ifstream file(fmt::format("{}/version-{}.sql", folder, version));
    std::stringstream text;
    text << file.rdbuf();
    ASSERT_FALSE(text.str().empty()) << version;
    options_.schema = fmt::format("version_{}", version);
    Connection connection(test_server().address(), options_.schema, 5000);
    connection.execute(text.str());
    auto journal = open(1);
    const auto records = all(*journal);
    ASSERT_EQ(records.size(), 3U);
    EXPECT_EQ(records[2].target, 1U);
    EXPECT_EQ(journal->model(1, 1)->bytes, "model");
    EXPECT_EQ(journal->get_checkpoint(1)->position, 3U);
    EXPECT_EQ(*journal->get_setting("secret"), "s");
    std::vector<Parcel> parcels = {event(1, "old"), event(2, "new")};
    journal->ship(journal->writer("a", 0), parcels, everything);
    EXPECT_EQ(parcels[0].entry.outcome, Outcome::duplicate);
    EXPECT_EQ(parcels[1].entry.sequence, 4U);
  }
}

TEST_F(SharedTest, ANewerVersionIsRefused) {
  open(1);
  Connection connection(test_server().address(), options_.schema, 5000);
  connection.execute("INSERT INTO versions(version) VALUES (1000)");
  EXPECT_THROW(open(2), JournalError);
}

TEST_F(SharedTest, AnAddressWithoutAServerIsSaid) {
  try {
    PostgresJournal("postgres://neuralts@127.0.0.1:1/postgres", options_, 1);
    FAIL();
  } catch (const JournalError& error) {
    EXPECT_NE(std::string(error.what()).find("is the database there"), std::string::npos) << error.what();
  }
}

TEST_F(SharedTest, AUserWithoutRightsIsToldWhatItNeeds) {
  Connection administrator(test_server().address(), "public", 5000);
  administrator.execute("CREATE ROLE guest LOGIN");
  std::string address = test_server().address();
  address.replace(address.find("neuralts@"), 8, "guest");
  try {
    PostgresJournal(address, options_, 1);
    FAIL();
  } catch (const JournalError& error) {
    EXPECT_NE(std::string(error.what()).find("the owner of the database, or of a schema"), std::string::npos)
        << error.what();
  }
  administrator.execute("CREATE SCHEMA " + options_.schema + " AUTHORIZATION guest");
  EXPECT_EQ(PostgresJournal(address, options_, 1).info().last, 0U);
}

}  // namespace neuralts::serve
