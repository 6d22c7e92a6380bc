#include "sim_disk.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>

namespace neuralts::serve {

namespace {

constexpr std::size_t sector = 512;

/// Shared memory of processes that are gone: their connections may still look at it while they are closed.
std::vector<std::vector<std::vector<char>>> graveyard;

struct Handle {
  sqlite3_file base;
  SimDisk* disk;
  std::shared_ptr<SimDisk::File>* file;
  std::uint64_t era;
  int lock;
  unsigned shm_shared, shm_exclusive;
};

Handle& of(sqlite3_file* f) { return *reinterpret_cast<Handle*>(f); }
bool dead(const Handle& h) { return h.era != h.disk->era() || !h.disk->powered(); }

void put_write(std::string& data, const SimDisk::Write& write) {
  if (write.truncate) return data.resize(write.offset);
  if (data.size() < write.offset + write.bytes.size()) data.resize(write.offset + write.bytes.size());
  data.replace(write.offset, write.bytes.size(), write.bytes);
}

void release_locks(Handle& h) {
  auto& file = **h.file;
  for (int i = 0; i < 8; ++i) {
    if ((h.shm_shared >> i & 1U) != 0) --file.slot_shared[i];
    if ((h.shm_exclusive >> i & 1U) != 0) file.slot_exclusive[i] = false;
  }
  h.shm_shared = h.shm_exclusive = 0;
}

int unlock(sqlite3_file* f, int level) {
  Handle& h = of(f);
  auto& file = **h.file;
  if (h.lock >= SQLITE_LOCK_EXCLUSIVE && level < SQLITE_LOCK_EXCLUSIVE) file.exclusive = false;
  if (h.lock >= SQLITE_LOCK_RESERVED && level < SQLITE_LOCK_RESERVED) file.reserved = false;
  if (h.lock >= SQLITE_LOCK_SHARED && level < SQLITE_LOCK_SHARED) --file.shared;
  h.lock = std::min(h.lock, level);
  return SQLITE_OK;
}

int lock(sqlite3_file* f, int level) {
  Handle& h = of(f);
  auto& file = **h.file;
  if (level <= h.lock) return SQLITE_OK;
  if (h.lock < SQLITE_LOCK_SHARED) {
    if (file.exclusive) return SQLITE_BUSY;
    ++file.shared;
    h.lock = SQLITE_LOCK_SHARED;
  }
  if (level >= SQLITE_LOCK_RESERVED && h.lock < SQLITE_LOCK_RESERVED) {
    if (file.reserved) return SQLITE_BUSY;
    file.reserved = true;
    h.lock = SQLITE_LOCK_RESERVED;
  }
  if (level == SQLITE_LOCK_EXCLUSIVE) {
    if (file.shared > 1) return SQLITE_BUSY;
    file.exclusive = true;
    h.lock = SQLITE_LOCK_EXCLUSIVE;
  }
  return SQLITE_OK;
}

int close_file(sqlite3_file* f) {
  Handle& h = of(f);
  if (h.era == h.disk->era()) {
    unlock(f, SQLITE_LOCK_NONE);
    release_locks(h);
  }
  delete h.file;
  return SQLITE_OK;
}

int read_file(sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
  Handle& h = of(f);
  if (dead(h)) return SQLITE_IOERR_READ;
  const std::string& data = (*h.file)->data;
  const auto offset = static_cast<std::size_t>(at), wanted = static_cast<std::size_t>(size);
  const std::size_t there = offset >= data.size() ? 0 : std::min(wanted, data.size() - offset);
  if (there > 0) std::memcpy(to, data.data() + offset, there);
  std::memset(static_cast<char*>(to) + there, 0, wanted - there);
  return there == wanted ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

int write_file(sqlite3_file* f, const void* from, int size, sqlite3_int64 at) {
  Handle& h = of(f);
  if (dead(h)) return SQLITE_IOERR_WRITE;
  if (const int error = h.disk->operate(SQLITE_IOERR_WRITE)) return error;
  auto& file = **h.file;
  const auto end = static_cast<std::uint64_t>(at) + static_cast<std::uint64_t>(size);
  if (end > file.data.size() && !h.disk->room_for(end - file.data.size())) return SQLITE_FULL;
  file.unsynced.push_back({static_cast<std::uint64_t>(at),
                           std::string(static_cast<const char*>(from), static_cast<std::size_t>(size)),
                           false});
  put_write(file.data, file.unsynced.back());
  return SQLITE_OK;
}

int truncate_file(sqlite3_file* f, sqlite3_int64 size) {
  Handle& h = of(f);
  if (dead(h)) return SQLITE_IOERR_TRUNCATE;
  if (const int error = h.disk->operate(SQLITE_IOERR_TRUNCATE)) return error;
  auto& file = **h.file;
  file.unsynced.push_back({static_cast<std::uint64_t>(size), "", true});
  put_write(file.data, file.unsynced.back());
  return SQLITE_OK;
}

int sync_file(sqlite3_file* f, int) {
  Handle& h = of(f);
  if (dead(h)) return SQLITE_IOERR_FSYNC;
  if (const int error = h.disk->operate(SQLITE_IOERR_FSYNC)) return error;
  auto& file = **h.file;
  file.synced = file.data;
  file.unsynced.clear();
  file.entry_synced = true;
  h.disk->synced();
  return SQLITE_OK;
}

int size_of(sqlite3_file* f, sqlite3_int64* size) {
  if (dead(of(f))) return SQLITE_IOERR_FSTAT;
  *size = static_cast<sqlite3_int64>((*of(f).file)->data.size());
  return SQLITE_OK;
}

int is_reserved(sqlite3_file* f, int* out) {
  *out = (*of(f).file)->reserved ? 1 : 0;
  return SQLITE_OK;
}

int control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int sector_size(sqlite3_file*) { return static_cast<int>(sector); }
int characteristics(sqlite3_file*) { return 0; }

int shm_map(sqlite3_file* f, int page, int size, int extend, void volatile** out) {
  Handle& h = of(f);
  *out = nullptr;
  if (dead(h)) return SQLITE_IOERR_SHMMAP;
  auto& pages = (*h.file)->pages;
  if (static_cast<std::size_t>(page) >= pages.size()) {
    if (extend == 0) return SQLITE_OK;
    pages.resize(static_cast<std::size_t>(page) + 1);
  }
  auto& memory = pages[static_cast<std::size_t>(page)];
  if (memory.empty()) memory.resize(static_cast<std::size_t>(size));
  *out = memory.data();
  return SQLITE_OK;
}

int shm_lock(sqlite3_file* f, int offset, int count, int flags) {
  Handle& h = of(f);
  if (dead(h)) return SQLITE_IOERR_SHMLOCK;
  auto& file = **h.file;
  for (int i = offset; i < offset + count; ++i) {
    const bool mine_shared = (h.shm_shared >> i & 1U) != 0, mine_exclusive = (h.shm_exclusive >> i & 1U) != 0;
    if ((flags & SQLITE_SHM_LOCK) == 0) continue;
    if (file.slot_exclusive[i] && !mine_exclusive) return SQLITE_BUSY;
    if ((flags & SQLITE_SHM_EXCLUSIVE) != 0 && file.slot_shared[i] > (mine_shared ? 1 : 0)) return SQLITE_BUSY;
  }
  for (int i = offset; i < offset + count; ++i) {
    const unsigned bit = 1U << i;
    if ((flags & SQLITE_SHM_UNLOCK) != 0) {
      if ((h.shm_shared & bit) != 0) --file.slot_shared[i];
      if ((h.shm_exclusive & bit) != 0) file.slot_exclusive[i] = false;
      h.shm_shared &= ~bit;
      h.shm_exclusive &= ~bit;
    } else if ((flags & SQLITE_SHM_EXCLUSIVE) != 0) {
      file.slot_exclusive[i] = true;
      h.shm_exclusive |= bit;
    } else if ((h.shm_shared & bit) == 0) {
      ++file.slot_shared[i];
      h.shm_shared |= bit;
    }
  }
  return SQLITE_OK;
}

void shm_barrier(sqlite3_file*) {}

int shm_unmap(sqlite3_file* f, int drop) {
  Handle& h = of(f);
  if (h.era != h.disk->era()) return SQLITE_OK;
  release_locks(h);
  if (drop != 0) graveyard.push_back(std::move((*h.file)->pages)), (*h.file)->pages.clear();
  return SQLITE_OK;
}

const sqlite3_io_methods methods = {
    2,        close_file,  read_file,   write_file, truncate_file, sync_file,       size_of,
    lock,     unlock,      is_reserved, control,    sector_size,   characteristics, shm_map,
    shm_lock, shm_barrier, shm_unmap,   nullptr,    nullptr};

SimDisk& disk_of(sqlite3_vfs* vfs) { return *static_cast<SimDisk*>(vfs->pAppData); }

int open_file(sqlite3_vfs* vfs, const char* path, sqlite3_file* f, int flags, int* out_flags) {
  SimDisk& disk = disk_of(vfs);
  f->pMethods = nullptr;
  if (!disk.powered()) return SQLITE_CANTOPEN;
  auto found = path == nullptr ? disk.files().end() : disk.files().find(path);
  std::shared_ptr<SimDisk::File> file = found == disk.files().end() ? nullptr : found->second;
  if (!file) {
    if ((flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
    if (disk.operate(SQLITE_CANTOPEN) != 0) return SQLITE_CANTOPEN;
    file = std::make_shared<SimDisk::File>();
    if (path != nullptr) disk.files()[path] = file;
  }
  Handle& h = of(f);
  h.base.pMethods = &methods;
  h.disk = &disk;
  h.file = new std::shared_ptr<SimDisk::File>(std::move(file));
  h.era = disk.era();
  h.lock = SQLITE_LOCK_NONE;
  h.shm_shared = h.shm_exclusive = 0;
  if (out_flags != nullptr) *out_flags = flags;
  return SQLITE_OK;
}

int delete_file(sqlite3_vfs* vfs, const char* path, int) {
  SimDisk& disk = disk_of(vfs);
  if (!disk.powered()) return SQLITE_IOERR_DELETE;
  if (const int error = disk.operate(SQLITE_IOERR_DELETE)) return error;
  return disk.files().erase(path) == 1 ? SQLITE_OK : SQLITE_IOERR_DELETE_NOENT;
}

int access_file(sqlite3_vfs* vfs, const char* path, int, int* out) {
  *out = disk_of(vfs).files().count(path) > 0 ? 1 : 0;
  return SQLITE_OK;
}

int full_path(sqlite3_vfs*, const char* path, int size, char* out) {
  sqlite3_snprintf(size, out, "%s", path);
  return SQLITE_OK;
}

}  // namespace

SimDisk::SimDisk(std::uint64_t seed)
    : vfs_(std::make_unique<sqlite3_vfs>()), stream_(seed, Purpose::environment, 7) {
  static int count = 0;
  graveyard.clear();  // whoever used the last disk has closed
  name_ = "neuralts-sim-" + std::to_string(++count);
  sqlite3_vfs* real = sqlite3_vfs_find(nullptr);
  *vfs_ = *real;
  vfs_->pNext = nullptr;
  vfs_->iVersion = 2;
  vfs_->zName = name_.c_str();
  vfs_->szOsFile = sizeof(Handle);
  vfs_->pAppData = this;
  vfs_->xOpen = open_file;
  vfs_->xDelete = delete_file;
  vfs_->xAccess = access_file;
  vfs_->xFullPathname = full_path;
  sqlite3_vfs_register(vfs_.get(), 0);
}

SimDisk::~SimDisk() { sqlite3_vfs_unregister(vfs_.get()); }

int SimDisk::operate(int error) {
  ++operations_;
  if (operations_ == power_at_) lose_power();
  if (!powered_) return error;
  if (operations_ == fail_at_) return error;
  return 0;
}

void SimDisk::lose_power() { powered_ = false; }

void SimDisk::restore_power() {
  power_at_ = fail_at_ = 0;
  for (auto at = files_.begin(); at != files_.end();) {
    File& file = *at->second;
    if (!file.entry_synced && stream_.bits32() % 2 == 0) {
      at = files_.erase(at);
      continue;
    }
    file.data = file.synced;
    for (const Write& write : file.unsynced) {
      const std::uint32_t chance = stream_.bits32() % 4;
      if (chance == 0) continue;                       // lost
      Write torn = write;
      if (chance == 1 && !write.truncate)
        torn.bytes.resize(stream_.below(write.bytes.size() / sector + 1) * sector);
      put_write(file.data, torn);
    }
    file.synced = file.data;
    file.unsynced.clear();
    file.entry_synced = true;
    ++at;
  }
  kill_process();
  powered_ = true;
}

void SimDisk::kill_process() {
  ++era_;
  for (auto& [path, file] : files_) {
    file->shared = 0;
    file->reserved = file->exclusive = false;
    graveyard.push_back(std::move(file->pages));
    file->pages.clear();
    std::fill(std::begin(file->slot_shared), std::end(file->slot_shared), 0);
    std::fill(std::begin(file->slot_exclusive), std::end(file->slot_exclusive), false);
  }
}

std::uint64_t SimDisk::used() const {
  std::uint64_t bytes = 0;
  for (const auto& [path, file] : files_) bytes += file->data.size();
  return bytes;
}

}  // namespace neuralts::serve
