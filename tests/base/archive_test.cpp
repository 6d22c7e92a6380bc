#include "neuralts/archive.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace neuralts {
namespace {

Writer sample() {
  Writer out;
  out.value<std::uint32_t>(7);
  out.text("neural-ts");
  out.values(std::vector<double>{1.5, -0.0, std::numeric_limits<double>::infinity()});
  out.values(std::vector<float>{});
  out.value<std::uint8_t>(1);
  return out;
}

void read_sample(Reader& in) {
  in.value<std::uint32_t>();
  in.text();
  in.values<double>(3);
  in.values<float>(0);
  in.value<std::uint8_t>();
}

TEST(Archive, ReadsWhatWasWritten) {
  const Writer out = sample();
  Reader in(out.bytes(), "here");
  EXPECT_EQ(in.value<std::uint32_t>(), 7u);
  EXPECT_EQ(in.text(), "neural-ts");
  EXPECT_EQ(in.values<double>(), (std::vector<double>{1.5, 0.0, std::numeric_limits<double>::infinity()}));
  EXPECT_TRUE(in.values<float>().empty());
  EXPECT_FALSE(in.at_end());
  EXPECT_EQ(in.value<std::uint8_t>(), 1);
  EXPECT_TRUE(in.at_end());
}

TEST(Archive, EveryTruncationIsRefused) {
  const std::vector<char> bytes = sample().bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Reader in(std::span<const char>(bytes).first(size), "here");
    EXPECT_THROW(read_sample(in), Error) << size;
  }
}

TEST(Archive, AnAbsurdLengthIsRefusedBeforeAnythingIsAllocated) {
  Writer out;
  out.value<std::uint64_t>(std::numeric_limits<std::uint64_t>::max());
  out.value<double>(1);
  Reader in(out.bytes(), "here");
  EXPECT_THROW(in.values<double>(), Error);
}

TEST(Archive, AnotherLengthThanExpectedIsRefused) {
  Writer out;
  out.values(std::vector<double>{1, 2});
  Reader in(out.bytes(), "here");
  EXPECT_THROW(in.values<double>(3), Error);
}

}  // namespace
}  // namespace neuralts
