#include "session/arm_names.hpp"

#include <gtest/gtest.h>

namespace neuralts {
namespace {

using Arms = std::vector<std::pair<std::string, std::uint32_t>>;

bool is_read(const Arms& arms, const std::vector<std::string>& retired, std::size_t most = 3) {
  Writer out;
  out.value<std::uint64_t>(arms.size());
  for (const auto& [name, block] : arms) {
    out.text(name);
    out.value(block);
  }
  out.value<std::uint64_t>(retired.size());
  for (const auto& name : retired) out.text(name);
  Reader in(out.bytes(), "saved");
  try {
    ArmNames(most).load(in);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// A next arm gets the block behind them all, or that of one that is retired: what does not fit would be
// somebody else's.
TEST(ArmNames, AFileGivesEveryArmABlockOfItsOwn) {
  EXPECT_TRUE(is_read({{"a", 1}, {"b", 0}}, {"b"}));
  EXPECT_TRUE(is_read({}, {}));
  EXPECT_FALSE(is_read({{"a", 0}, {"b", 0}}, {})) << "two in one block";
  EXPECT_FALSE(is_read({{"a", 0}, {"b", 2}}, {})) << "a block between them is nobody's";
  EXPECT_FALSE(is_read({{"a", 0}, {"b", 1}, {"c", 2}, {"d", 3}}, {})) << "more than declared";
  EXPECT_FALSE(is_read({{"a", 0}, {"b", 1}}, {"b", "b"})) << "retired twice";
  EXPECT_FALSE(is_read({{"a", 0}}, {"b"})) << "retired without a block";
}

}  // namespace
}  // namespace neuralts
