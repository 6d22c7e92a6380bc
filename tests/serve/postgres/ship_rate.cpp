// How many records a second one primary takes: a measurement, for scripts/gate ship.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <ctime>

#include "main.hpp"
#include "serve/journal/postgres/postgres_journal.hpp"

namespace neuralts::serve {

namespace {

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

TEST(ShipRate, OfBatches) {
  const char* wanted = std::getenv("NEURALTS_SHIP_RECORDS");
  if (wanted == nullptr) GTEST_SKIP() << "a measurement: NEURALTS_SHIP_RECORDS says of how many";
  const std::size_t records = std::strtoull(wanted, nullptr, 10);
  for (const std::size_t size : {16U, 64U, 256U, 2048U}) {
    PostgresOptions options;
    options.schema = fmt::format("rate_{}", size);
    PostgresJournal journal(test_server().address(), options, size);
    const std::uint16_t writer = journal.writer("a", 0);
    const std::size_t count = std::min<std::size_t>(records, size * 400);
    const auto start = std::chrono::steady_clock::now();
    const double before = processor_seconds(), server_before = test_server().processor_seconds();
    Sequence shipped = 0;
    while (shipped < count) {
      std::vector<Parcel> parcels(size);
      for (Parcel& parcel : parcels) {
        parcel.origin = shipped + static_cast<Sequence>(&parcel - parcels.data()) + 1;
        parcel.entry.loop = 1;
        parcel.entry.payload.assign(500, 'x');
      }
      shipped = journal.ship(writer, parcels, shipped);
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf(
        "batches of %4zu: %7.0f records/s; microseconds of processor time a record: here %.1f, the database "
        "%.1f\n",
        size, static_cast<double>(shipped) / seconds,
        1e6 * (processor_seconds() - before) / static_cast<double>(shipped),
        1e6 * (test_server().processor_seconds() - server_before) / static_cast<double>(shipped));
    EXPECT_EQ(journal.info().last, shipped);
  }
}

}  // namespace neuralts::serve
