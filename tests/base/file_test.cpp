#include "base/file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>

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

// A limit on the size of files stands for a full disk: the write fails half way.
TEST_F(File, AFailedWriteLeavesTheOldFile) {
  write_file(path("a"), bytes(10, 'o'));
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{}, small{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  small = limit;
  small.rlim_cur = 4096;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const ErrorCode code = code_of([&] { write_file(path("a"), bytes(100000, 'n')); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, before);
  EXPECT_EQ(code, ErrorCode::io);
  EXPECT_EQ(read_file(path("a")), bytes(10, 'o'));
  EXPECT_EQ(entries(), 1u) << "no temporary file stays behind";
}

TEST_F(File, AFolderInTheWayIsLeftAlone) {
  fs::create_directory(path("a"));
  EXPECT_EQ(code_of([&] { write_file(path("a"), bytes(1, 'x')); }), ErrorCode::io);
  EXPECT_TRUE(fs::is_directory(path("a")));
  EXPECT_EQ(entries(), 1u);
}

}  // namespace
}  // namespace neuralts
