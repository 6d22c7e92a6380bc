// The fuzzers' corpus of our own files, and every prefix and damaged byte of it, through every reader.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fuzz/lab_targets.hpp"
#include "fuzz/session_seeds.hpp"
#include "policy/candidates.hpp"
#include "policy/small_world.hpp"

namespace neuralts {
namespace {

void read_all_prefixes_and_damages(const std::string& bytes, bool (*read)(std::string_view)) {
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NO_THROW(read(std::string_view(bytes).substr(0, size))) << size;
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const char damage : {'\x01', '\x80', '\x1F'}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ damage);
      EXPECT_NO_THROW(read(damaged)) << "byte " << at;
    }
}

std::vector<std::string> corpus(const std::string& name) {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(NEURALTS_CORPUS) + "/" + name)) {
    std::ifstream in(entry.path(), std::ios::binary);
    all.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return all;
}

struct Target {
  const char* name;
  bool (*read)(std::string_view bytes);
};

class OwnFiles : public testing::TestWithParam<Target> {};

TEST_P(OwnFiles, AreReadOrRefusedHoweverTheyAreDamaged) {
  std::size_t read = 0, refused = 0;
  for (const std::string& bytes : corpus(GetParam().name)) {
    ++(GetParam().read(bytes) ? read : refused);
    read_all_prefixes_and_damages(bytes, GetParam().read);
  }
  EXPECT_GT(read, 0U);
  EXPECT_GT(refused, 0U);
}

INSTANTIATE_TEST_SUITE_P(All, OwnFiles,
                         testing::Values(Target{"result", fuzz::result}, Target{"toml", fuzz::toml},
                                         Target{"json", fuzz::json}, Target{"schema", fuzz::schema}),
                         [](const auto& target) { return std::string(target.param.name); });

TEST(ForgedFiles, ThatWereFoundAreReadOrRefused) {
  for (const std::string& bytes : corpus("policy")) EXPECT_NO_THROW(fuzz::policy(bytes));
  for (const std::string& bytes : corpus("session")) EXPECT_NO_THROW(fuzz::session(bytes));
}

/// Bytes whose checksum was made right by whoever damaged them.
void read_forged(const std::string& bytes, bool (*read)(std::string_view), std::size_t most) {
  EXPECT_TRUE(read(bytes));
  const std::size_t stride = 1 + bytes.size() / most;
  for (std::size_t at = 0; at < bytes.size(); at += at < 200 ? 1 : stride) {
    EXPECT_NO_THROW(read(std::string_view(bytes).substr(0, at))) << "the first " << at;
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ '\x80');
    EXPECT_NO_THROW(read(damaged)) << "byte " << at;
  }
}

TEST(ForgedSession, IsReadOrRefused) {
  for (const auto& [name, bytes] : fuzz::session_seeds()) {
    SCOPED_TRACE(name);
    read_forged(bytes, fuzz::session, 400);
  }
}

/// A policy file whose checksum was made right by whoever damaged it.
class ForgedPolicy : public testing::TestWithParam<Candidate> {};

TEST_P(ForgedPolicy, IsReadOrRefused) {
  Agent agent(GetParam().spec({.length = 2}));
  const std::vector<double> contexts{0.6, 0.8, 1.0, 0.0};
  for (int i = 0; i < 2; ++i) {
    const Slice context{std::span(contexts).first(2), 0};
    agent.select(Contexts::per_arm(contexts, 2));
    agent.learn(context, 0.5);
  }
  const auto bytes = agent.to_bytes();
  read_forged(fuzz::body_of({bytes.data(), bytes.size()}), fuzz::policy, 150);
}

INSTANTIATE_TEST_SUITE_P(All, ForgedPolicy, testing::ValuesIn(candidates()), candidate_name);

}  // namespace
}  // namespace neuralts
