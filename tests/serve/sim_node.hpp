// A node of the service in a simulation: the real parts on a disk, a clock and a shared engine that fail.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>

#include "serve/journal/sqlite_journal.hpp"
#include "serve/node/shipper.hpp"
#include "serve/node/spool_journal.hpp"
#include "sim_disk.hpp"
#include "sim_oracle.hpp"
#include "sim_shared.hpp"

namespace neuralts::serve {

/// One machine: what stays (disk, clock), and what a crash takes away.
class SimNode {
 public:
  SimNode(SimEngine& engine, std::uint64_t seed, std::size_t number)
      : name(fmt::format("n{}", number)),
        disk(seed * 10 + number),
        engine_(engine),
        entropy_(seed * 10 + number),
        log_(clock, {}) {
    journal_options_.vfs = disk.name();
    journal_options_.segment_us_max = 5'000'000;
    options.pending_max = 64;
    options.batch_max = 16;
    options.several = true;
    options.default_loop.policy = "linear-ts";
    options.default_loop.window_us = 5'000'000;
    options.default_loop.holdout = 0;
    options.default_loop.publish_seconds = 0.2;
    options.default_loop.checkpoint_seconds = 1;
  }

  void start() {
    try {
      shared = std::make_unique<SimShared>(engine_);
      shared->cut = cut;
      spool = std::make_unique<SqliteJournal>("j", journal_options_);
      if (const auto known = spool->get_setting("writer")) {
        options.writer = static_cast<std::uint16_t>(std::stoul(*known));
      } else {
        options.writer = shared->writer(name, 0);
        spool->put_setting("writer", std::to_string(options.writer));
      }
      journal = std::make_unique<SpoolJournal>(*spool, *shared, clock, options.writer);
      shipper = std::make_unique<Shipper>(*spool, *shared, options.writer);
      service = std::make_unique<Service>(options, *journal, clock, entropy_, log_);
      worker = service->make_worker();
    } catch (const JournalError& error) {
      refusal = error.what();
      kill(false);
    }
  }

  void kill(bool power) {
    power ? disk.lose_power() : disk.kill_process();
    service.reset();
    shipper.reset();
    journal.reset();
    spool.reset();
    shared.reset();
    if (power) disk.restore_power();
    disk.fail_after(0);
    disk.limit(~std::uint64_t{0});
  }

  /// False: something it needs is away.
  template <class Step>
  bool tried(const Step& step) {
    try {
      step();
      return true;
    } catch (const JournalError&) {
      return false;
    }
  }

  bool ship() { return tried([&] { shipper->step(1 + clock.ticks % 40); }); }
  bool stand() {
    const bool leads = shared->lead(), changed = leads != service->learning();
    journal->set_learning(leads);
    service->set_learning(leads);
    return changed && leads;
  }

  std::string name;
  SimDisk disk;
  SimClock clock;
  ServiceOptions options;
  std::unique_ptr<SimShared> shared;
  std::unique_ptr<SqliteJournal> spool;
  std::unique_ptr<SpoolJournal> journal;
  std::unique_ptr<Shipper> shipper;
  std::unique_ptr<Service> service;  // nothing: it is down
  std::unique_ptr<Worker> worker;
  bool cut = false;     // from the shared engine
  std::string refusal;  // why it did not start

  const Log& log() const { return log_; }

 private:
  SimEngine& engine_;
  SeededEntropy entropy_;
  Log log_;
  SqliteOptions journal_options_;
};

}  // namespace neuralts::serve
