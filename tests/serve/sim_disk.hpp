// A disk in memory behind SQLite's file interface: it forgets, tears and reorders what was not synced, fails
// and fills up on demand.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "neuralts/random.hpp"

struct sqlite3_vfs;

namespace neuralts::serve {

class SimDisk {
 public:
  /// Registered with SQLite under name() for as long as it lives. One thread.
  explicit SimDisk(std::uint64_t seed);
  ~SimDisk();
  SimDisk(const SimDisk&) = delete;
  const std::string& name() const { return name_; }

  /// Power goes: every later operation of files that are open now fails. Close them, then call restore_power().
  void lose_power();
  /// What was synced is there. Of the writes after, each is there, or not, or in part, by chance.
  void restore_power();
  /// A process dies: what it wrote is there, synced or not, and nothing more comes of files that are open now.
  void kill_process();

  /// The n-th operation from now that changes the disk (write, sync, truncate, create, delete) fails; 0: none.
  /// After a sync that failed, what it should have synced is as unsure as before.
  void fail_after(std::uint64_t n) { fail_at_ = n == 0 ? 0 : operations_ + n; }
  std::uint64_t operations() const { return operations_; }
  std::uint64_t syncs() const { return syncs_; }
  /// Power goes at the n-th operation from now.
  void lose_power_after(std::uint64_t n) { power_at_ = n == 0 ? 0 : operations_ + n; }
  bool powered() const { return powered_; }
  /// Bytes that all files together may take.
  void limit(std::uint64_t bytes) { capacity_ = bytes; }
  std::uint64_t used() const;

  // For the file interface.
  struct Write {
    std::uint64_t offset;
    std::string bytes;
    bool truncate;
  };
  struct File {
    std::string data, synced;
    std::vector<Write> unsynced;
    bool entry_synced = false;              // its name is in the directory for good
    int shared = 0;                         // locks of SQLite
    bool reserved = false, exclusive = false;
    std::vector<std::vector<char>> pages;   // shared memory of the WAL's index
    int slot_shared[8] = {};
    bool slot_exclusive[8] = {};
  };
  /// What an operation that changes the disk is allowed: 0, or SQLite's error.
  int operate(int error);
  bool room_for(std::uint64_t more) const { return used() + more <= capacity_; }
  void synced() { ++syncs_; }
  std::map<std::string, std::shared_ptr<File>>& files() { return files_; }
  std::uint64_t era() const { return era_; }
  Stream& stream() { return stream_; }

 private:
  std::string name_;
  std::unique_ptr<sqlite3_vfs> vfs_;
  Stream stream_;
  std::map<std::string, std::shared_ptr<File>> files_;
  std::uint64_t operations_ = 0, syncs_ = 0, fail_at_ = 0, power_at_ = 0, capacity_ = ~std::uint64_t{0};
  std::uint64_t era_ = 0;   // files opened in an earlier one are dead
  bool powered_ = true;
};

}  // namespace neuralts::serve
