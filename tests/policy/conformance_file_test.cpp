// What every policy promises of its saved file: continuing equals continuing, damage is refused.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.hpp"
#include "policy/candidates.hpp"
#include "policy/small_world.hpp"

namespace neuralts {
namespace {

class SavedPolicy : public testing::TestWithParam<Candidate> {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  const std::string path_ = (std::filesystem::temp_directory_path() /
                             (GetParam().name() + std::to_string(::getpid()) + ".nts"))
                                .string();
};

TEST_P(SavedPolicy, ContinuesBitForBitInTheMiddleOfARunWithLateRewards) {
  for (const SmallWorld& world : {per_arm_world, disjoint_world}) {
    const auto policy = make_policy(GetParam().spec(world.shape, 5));
    Player player(world);
    player.play(*policy, 21);
    save_policy(*policy, path_);
    const auto loaded = load_policy(path_);
    EXPECT_EQ(loaded->resolved(), policy->resolved());
    EXPECT_EQ(loaded->notes(), policy->notes());
    EXPECT_EQ(state_of(*loaded), state_of(*policy));
    Player fork = player.fork();
    EXPECT_TRUE(player.play(*policy, 15) == fork.play(*loaded, 15));
    EXPECT_EQ(state_of(*loaded), state_of(*policy));
  }
}

TEST_P(SavedPolicy, DamageIsRefused) {
  const auto policy = make_policy(GetParam().spec(disjoint_world.shape));
  Player(disjoint_world).play(*policy, 9);
  save_policy(*policy, path_);
  const std::vector<char> good = read_file(path_);
  const std::size_t step = good.size() / 17 + 1;
  for (std::size_t size = 0; size < good.size(); size += step) {
    write_file(path_, std::span(good).first(size));
    EXPECT_THROW(load_policy(path_), Error) << "cut to " << size << " of " << good.size();
  }
  for (std::size_t at = 0; at < good.size(); at += at < 64 ? 1 : step) {
    auto bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x20);
    write_file(path_, bad);
    EXPECT_THROW(load_policy(path_), Error) << "byte " << at << " of " << good.size();
  }
  auto longer = good;
  longer.push_back(0);
  write_file(path_, longer);
  EXPECT_THROW(load_policy(path_), Error);
}

// A file can be whole and yet not fit: the state of another shape, or cut before its checksum was made.
TEST_P(SavedPolicy, AStateThatDoesNotFitIsRefused) {
  const auto policy = make_policy(GetParam().spec(disjoint_world.shape));
  Player(disjoint_world).play(*policy, 9);
  const std::vector<char> state = state_of(*policy);
  for (std::size_t size = 0; size < state.size(); size += state.size() / 13 + 1) {
    Reader in({state.data(), size}, "test");
    EXPECT_THROW(make_policy(GetParam().spec(disjoint_world.shape))->restore(in), Error) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SavedPolicy, testing::ValuesIn(candidates()), candidate_name);

}  // namespace
}  // namespace neuralts
