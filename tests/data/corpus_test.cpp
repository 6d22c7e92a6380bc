// The fuzzers' corpus, and every prefix and single damaged byte of it, through every reader.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fuzz/targets.hpp"

namespace neuralts {
namespace {

struct Target {
  const char* name;
  bool (*read)(std::string_view bytes);
};

class Corpus : public testing::TestWithParam<Target> {
 protected:
  std::vector<std::string> files() const {
    std::vector<std::string> all;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(NEURALTS_CORPUS) + "/" + GetParam().name)) {
      std::ifstream in(entry.path(), std::ios::binary);
      all.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return all;
  }
};

TEST_P(Corpus, IsReadOrRefused) {
  std::size_t read = 0, refused = 0;
  for (const auto& bytes : files()) ++(GetParam().read(bytes) ? read : refused);
  EXPECT_GT(read, 0u);
  EXPECT_GT(refused, 0u);
}

TEST_P(Corpus, EveryPrefixIsReadOrRefused) {
  for (const auto& bytes : files())
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_NO_THROW(GetParam().read(std::string_view(bytes).substr(0, size)));
}

TEST_P(Corpus, EveryDamagedByteIsReadOrRefused) {
  for (const auto& original : files())
    for (std::size_t at = 0; at < original.size(); ++at)
      for (const char damage : {'\x01', '\x80', '\x1F'}) {
        std::string bytes = original;
        bytes[at] = static_cast<char>(bytes[at] ^ damage);
        EXPECT_NO_THROW(GetParam().read(bytes)) << "byte " << at;
      }
}

INSTANTIATE_TEST_SUITE_P(Readers, Corpus,
                         testing::Values(Target{"csv", fuzz::csv}, Target{"arff", fuzz::arff},
                                         Target{"libsvm", fuzz::libsvm}, Target{"idx", fuzz::idx},
                                         Target{"log", fuzz::log}, Target{"feature", fuzz::feature}),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace neuralts
