#include "base/text_hash.hpp"

#include <gtest/gtest.h>

namespace neuralts {
namespace {

// Saved policies depend on where texts are hashed to: these numbers may never change.
TEST(Hash, IsTheSameForEver) {
  EXPECT_EQ(hash_text("country"), 0x37b0c9e1e2123b98u);
  EXPECT_EQ(hash_text("a longer text than eight", 7), 0x3872bcc629a3efa9u);
  EXPECT_EQ(hash_text(""), 0xc8d88de7c404b6b1u);
}

TEST(Hash, LengthAndZeroBytesCount) {
  EXPECT_NE(hash_text({"a\0", 2}), hash_text("a"));
  EXPECT_NE(hash_text({"\0\0", 2}), hash_text({"\0", 1}));
}

}  // namespace
}  // namespace neuralts
