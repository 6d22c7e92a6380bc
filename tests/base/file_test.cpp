#include "base/file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <thread>

#include "base/small_disk.hpp"
#include "base/temp_folder.hpp"
#include "neuralts/error.hpp"

namespace neuralts {
namespace {

namespace fs = std::filesystem;

class File : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.file(name); }
  std::size_t entries() const { return folder_.names().size(); }

  TempFolder folder_;
};

std::vector<char> bytes(std::size_t size, char fill) { return std::vector<char>(size, fill); }

ErrorCode code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorCode::unsupported;
}

TEST_F(File, ReadsBackWhatWasWritten) {
  for (const std::size_t size : {0, 1, 65536, 200001}) {
    write_file(path("a"), bytes(size, 'x'));
    EXPECT_EQ(read_file(path("a")), bytes(size, 'x'));
  }
  EXPECT_EQ(entries(), 1u) << "no temporary file stays behind";
}

TEST_F(File, MissingFilesAndFoldersAreNamed) {
  EXPECT_EQ(code_of([&] { read_file(path("none")); }), ErrorCode::not_found);
  EXPECT_EQ(code_of([&] { write_file(path("none/a"), bytes(1, 'x')); }), ErrorCode::not_found);
  EXPECT_EQ(code_of([&] { read_file(folder_.path()); }), ErrorCode::io);
  try {
    read_file(path("none"));
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find(path("none")), 0u) << error.what();
  }
}

TEST_F(File, AFailedWriteLeavesTheOldFile) {
  write_file(path("a"), bytes(10, 'o'));
  {
    const SmallDisk full(4096);
    EXPECT_EQ(code_of([&] { write_file(path("a"), bytes(100000, 'n')); }), ErrorCode::io);
  }
  EXPECT_EQ(read_file(path("a")), bytes(10, 'o'));
  EXPECT_EQ(entries(), 1u) << "no temporary file stays behind";
}

TEST_F(File, AFolderInTheWayIsLeftAlone) {
  fs::create_directory(path("a"));
  EXPECT_EQ(code_of([&] { write_file(path("a"), bytes(1, 'x')); }), ErrorCode::io);
  EXPECT_TRUE(fs::is_directory(path("a")));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(File, NamesThatTheSystemWouldCutAreRefused) {
  const std::string cut = path(std::string("a\0b", 3));
  EXPECT_EQ(code_of([&] { write_file(cut, bytes(1, 'x')); }), ErrorCode::bad_spec);
  EXPECT_EQ(code_of([&] { read_file(cut); }), ErrorCode::bad_spec);
  EXPECT_EQ(code_of([&] { write_file("", bytes(1, 'x')); }), ErrorCode::bad_spec);
  EXPECT_EQ(entries(), 0u);
}

TEST_F(File, ALinkIsFollowedAndStays) {
  fs::create_directory(path("there"));
  fs::create_symlink("there/b", path("a"));
  for (const char fill : {'n', 'm'}) {  // first where the link leads nowhere yet
    write_file(path("a"), bytes(3, fill));
    EXPECT_TRUE(fs::is_symlink(path("a")));
    EXPECT_EQ(read_file(path("there/b")), bytes(3, fill));
  }
  fs::create_symlink("round", path("round"));
  EXPECT_EQ(code_of([&] { write_file(path("round"), bytes(1, 'x')); }), ErrorCode::io);
}

TEST_F(File, APipeIsWrittenIntoAndStays) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::thread writer([&] { write_file(path("pipe"), bytes(100000, 'p')); });
  EXPECT_EQ(read_file(path("pipe")), bytes(100000, 'p'));
  writer.join();
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(File, ADeviceIsWrittenIntoAndStays) {
  write_file("/dev/null", bytes(10, 'x'));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(code_of([&] { write_file("/dev/full", bytes(10, 'x')); }), ErrorCode::io);
}

TEST_F(File, PermissionsStay) {
  write_file(path("a"), bytes(1, 'x'));
  fs::permissions(path("a"), fs::perms::owner_read | fs::perms::owner_write);
  write_file(path("a"), bytes(2, 'y'));
  EXPECT_EQ(fs::status(path("a")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

// Every save succeeds, and whoever reads meanwhile sees the whole of one.
TEST_F(File, ThreadsMayWriteOnePath) {
  constexpr int writers = 4, times = 60;
  constexpr std::size_t size = 70000;
  write_file(path("a"), bytes(size, 'a'));
  std::atomic<int> failed = 0, torn = 0;
  std::atomic<bool> done = false;
  std::thread reader([&] {
    while (!done) {
      const auto seen = read_file(path("a"));
      torn += seen.size() != size ||
              std::count(seen.begin(), seen.end(), seen[0]) != static_cast<std::ptrdiff_t>(size);
    }
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < writers; ++i)
    threads.emplace_back([&, i] {
      for (int n = 0; n < times; ++n) try {
          write_file(path("a"), bytes(size, static_cast<char>('a' + i)));
        } catch (const Error&) {
          ++failed;
        }
    });
  for (auto& thread : threads) thread.join();
  done = true;
  reader.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(entries(), 1u) << "no temporary file stays behind";
}

TEST_F(File, WithoutCommitNothingHappened) {
  write_file(path("a"), bytes(3, 'o'));
  {
    FileWriter file(path("a"));
    file.write(bytes(200000, 'n'));
    EXPECT_EQ(read_file(path("a")), bytes(3, 'o'));
  }
  EXPECT_EQ(read_file(path("a")), bytes(3, 'o'));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(File, PartsAddUp) {
  FileWriter file(path("a"));
  std::vector<char> all;
  for (const std::size_t size : {0, 1, 65535, 1, 65536, 65537, 200000, 3}) {
    file.write(bytes(size, static_cast<char>('a' + all.size() % 26)));
    all.insert(all.end(), size, static_cast<char>('a' + all.size() % 26));
  }
  file.commit();
  EXPECT_EQ(read_file(path("a")), all);
}

TEST_F(File, AFileOfAnotherNameIsPublished) {
  write_file(path("a.part"), bytes(5, 'p'));
  write_file(path("a"), bytes(2, 'o'));
  publish_file(path("a.part"), path("a"));
  EXPECT_EQ(read_file(path("a")), bytes(5, 'p'));
  EXPECT_EQ(entries(), 1u);
  EXPECT_EQ(code_of([&] { publish_file(path("none"), path("a")); }), ErrorCode::not_found);
}

}  // namespace
}  // namespace neuralts
