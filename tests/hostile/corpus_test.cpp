// The fuzzers' corpus of our own files, and every prefix and damaged byte of it, through every reader.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fuzz/lab_targets.hpp"
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

struct Target {
  const char* name;
  bool (*read)(std::string_view bytes);
};

class OwnFiles : public testing::TestWithParam<Target> {};

TEST_P(OwnFiles, AreReadOrRefusedHoweverTheyAreDamaged) {
  std::size_t read = 0, refused = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(NEURALTS_CORPUS) + "/" + GetParam().name)) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    ++(GetParam().read(bytes) ? read : refused);
    read_all_prefixes_and_damages(bytes, GetParam().read);
  }
  EXPECT_GT(read, 0U);
  EXPECT_GT(refused, 0U);
}

INSTANTIATE_TEST_SUITE_P(All, OwnFiles,
                         testing::Values(Target{"result", fuzz::result}, Target{"toml", fuzz::toml},
                                         Target{"json", fuzz::json}),
                         [](const auto& target) { return std::string(target.param.name); });

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
  const std::string body = fuzz::without_header({bytes.data(), bytes.size()});
  EXPECT_TRUE(fuzz::policy(body));
  const std::size_t stride = 1 + body.size() / 150;
  for (std::size_t at = 0; at < body.size(); at += at < 200 ? 1 : stride) {
    EXPECT_NO_THROW(fuzz::policy(std::string_view(body).substr(0, at))) << "the first " << at;
    std::string damaged = body;
    damaged[at] = static_cast<char>(damaged[at] ^ '\x80');
    EXPECT_NO_THROW(fuzz::policy(damaged)) << "byte " << at;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ForgedPolicy, testing::ValuesIn(candidates()), candidate_name);

}  // namespace
}  // namespace neuralts
