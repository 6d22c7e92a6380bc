// The plain reader of rank bodies against the general one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <optional>
#include <set>

#include "neuralts/random.hpp"
#include "serve/plain_rank.hpp"
#include "serve/problem.hpp"

namespace neuralts::serve {

namespace {

// A key that the plain reader does not know sends a body the general way.
std::optional<RankBody> read_the_general_way(std::string text) {
  const auto brace = text.find('{');
  if (brace == std::string::npos) return std::nullopt;
  text.insert(brace + 1, R"("defer":false,)");
  try {
    BodyParser parser({});
    bool batch = false;
    const auto bodies = parser.rank(text, batch);
    return batch ? std::nullopt : std::optional(bodies[0]);
  } catch (const Problem&) {
    return std::nullopt;
  }
}

// What the plain reader takes the general one reads as the same bits; what that refuses the plain one leaves to it.
void expect_read_alike(const std::string& text, std::size_t& taken) {
  RankBody plain;
  if (!read_plain_rank(text, {}, plain)) return;
  const auto general = read_the_general_way(text);
  const auto& ids = plain.offered.ids;
  // Is for whoever asked to find out.
  const bool twice = std::set<std::string>(ids.begin(), ids.end()).size() < ids.size();
  ASSERT_EQ(general.has_value(), !twice) << text;
  if (twice) return;
  ++taken;
  EXPECT_EQ(plain.event_id, general->event_id) << text;
  EXPECT_EQ(ids, general->offered.ids) << text;
  EXPECT_EQ(plain.offered.form, general->offered.form) << text;
  EXPECT_EQ(plain.offered.length, general->offered.length) << text;
  ASSERT_EQ(plain.offered.vectors.size(), general->offered.vectors.size()) << text;
  for (std::size_t i = 0; i < plain.offered.vectors.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint32_t>(plain.offered.vectors[i]),
              std::bit_cast<std::uint32_t>(general->offered.vectors[i]))
        << text;
}

}  // namespace

TEST(PlainRankTest, NumbersAreReadToTheSameBits) {
  std::size_t taken = 0;
  for (const char* number : {"0", "-0", "-0.0", "7", "-12.50", "1e3", "1E+2", "2.5e-7", "0.1", "16777217", "900719925474099.3", "1e15", "-1e15",
                             "0.30000000000000004", "123456789012345", "999999999999999.9", "1.17549435e-38", "1e-45", "8.41e14",
                             "5e-324", "0.000000000000000000000000000000000000000000001"})
    expect_read_alike(fmt::format(R"({{"actions":[{{"id":"a","vector":[{}]}}]}})", number), taken);
  EXPECT_EQ(taken, 21U);
  Stream chance(5, Purpose::data_order);
  for (int i = 0; i < 2000; ++i) {
    const double value = chance.normal() * std::pow(10.0, static_cast<double>(chance.below(44)) - 30);
    for (const char* form : {"{:.17g}", "{:.4f}", "{:.9e}", "{}"})
      expect_read_alike(fmt::format(R"({{"actions":[{{"id":"a","vector":[{}]}}]}})",
                                    fmt::format(fmt::runtime(form), value)),
                        taken);
  }
  EXPECT_EQ(taken, 8021U);
}

TEST(PlainRankTest, WhatIsNotPlainIsLeftToTheGeneralReader) {
  for (const char* text : {"", "{", "{}", "[]", R"({"actions":[]})", R"({"actions":[{"id":"a"}]})", R"({"actions":[{"vector":[1]}]})",
                           R"({"actions":[{"id":"a","vector":[]}]})", R"({"actions":[{"id":"a","vector":[01]}]})",
                           R"({"actions":[{"id":"a","vector":[1.]}]})", R"({"actions":[{"id":"a","vector":[.5]}]})",
                           R"({"actions":[{"id":"a","vector":[1e]}]})", R"({"actions":[{"id":"a","vector":[1e39]}]})",
                           R"({"actions":[{"id":"a","vector":[1000000000000001]}]})", R"({"actions":[{"id":"a","vector":[-1.1e15]}]})",
                           R"({"actions":[{"id":"a","vector":[1e400]}]})", R"({"actions":[{"id":"a","vector":[NaN]}]})",
                           R"({"actions":[{"id":"a","vector":[1,]}]})", R"({"actions":[{"id":"a","vector":[1]},]})",
                           R"({"actions":[{"id":"a","vector":[1]}]} x)", R"({"actions":[{"id":"a","vector":[1]}],"defer":true})",
                           R"({"actions":[{"id":"a","vector":[1]},{"id":"b","vector":[1,2]}]})",
                           R"({"actions":[{"id":"a","id":"b","vector":[1]}]})", R"({"actions":[{"id":"","vector":[1]}]})",
                           R"({"actions":[{"id":"\u0041","vector":[1]}]})", R"({"event_id":"","actions":[{"id":"a","vector":[1]}]})"}) {
    RankBody body;
    EXPECT_FALSE(read_plain_rank(text, {}, body)) << text;
  }
  RankBody longest;
  std::string numbers = "1";
  for (std::size_t i = 1; i < BodyLimits{}.vector_max; ++i) numbers += ",1";
  const auto body_of = [](const std::string& vector) { return fmt::format(R"({{"actions":[{{"id":"a","vector":[{}]}}]}})", vector); };
  EXPECT_TRUE(read_plain_rank(body_of(numbers), {}, longest));
  EXPECT_FALSE(read_plain_rank(body_of(numbers + ",1"), {}, longest));
  EXPECT_FALSE(read_the_general_way(body_of(numbers + ",1")));
  BodyLimits narrow;
  narrow.actions_max = 1;
  narrow.vector_max = 2;
  for (const char* text : {R"({"actions":[{"id":"a","vector":[1]},{"id":"b","vector":[1]}]})",
                           R"({"actions":[{"id":"a","vector":[1,2,3]}]})"}) {
    RankBody body;
    EXPECT_FALSE(read_plain_rank(text, narrow, body)) << text;
  }
}

TEST(PlainRankTest, MutatedBodiesAreReadAlikeOrLeft) {
  const std::string sound =
      R"( {"event_id": "e-1", "actions": [{"id": "a", "vector": [1, -2.5, 0.125]}, {"vector":[3e2,0,-0.5],"id":"b"}]} )";
  const std::string_view useful = "0123456789.-+eE,:[]{}\" \\ab";
  Stream chance(6, Purpose::data_order);
  std::size_t taken = 0;
  for (std::size_t i = 0; i <= sound.size(); ++i) expect_read_alike(sound.substr(0, i), taken);
  EXPECT_EQ(taken, 2U);  // with and without its last space
  for (int i = 0; i < 20000; ++i) {
    std::string text = sound;
    for (auto n = 1 + chance.below(3); n > 0; --n) {
      const char c = chance.below(4) == 0 ? static_cast<char>(chance.below(256))
                                          : useful[chance.below(useful.size())];
      const std::size_t at = chance.below(text.size());
      if (chance.below(3) == 0) text.insert(at, 1, c);
      else if (chance.below(3) == 0) text.erase(at, 1);
      else text[at] = c;
    }
    expect_read_alike(text, taken);
  }
  EXPECT_GT(taken, 1000U);
}

}  // namespace neuralts::serve
