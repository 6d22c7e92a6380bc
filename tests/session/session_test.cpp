#include "neuralts/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "base/checksum.hpp"
#include "base/error_text.hpp"
#include "base/temp_folder.hpp"
#include "neuralts/error.hpp"
#include "policy/policy_file.hpp"
#include "session/personal.hpp"

namespace neuralts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// With the checksum of what follows it.
std::vector<char> resealed(const std::string& bytes) {
  constexpr std::size_t header = 16;
  const std::uint32_t sum = checksum(std::span(bytes).subspan(header));
  std::vector<char> out(bytes.begin(), bytes.end());
  std::memcpy(out.data() + header - sizeof sum, &sum, sizeof sum);
  return out;
}

// The same world told by numbers that are 1 or not there.
FieldTable indicated(const FieldTable& table) {
  FieldTable told;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    told.start_row();
    told.add(Field::of(table.row(row)[0].text, 1));
  }
  return told;
}

TEST(Session, IndicatorsTellWhoAsksAndWhatIsOffered) {
  Session session(spec_of("linear-ts", 32));
  Stream stream(3, Purpose::environment);
  double total = 0;
  for (int t = 0; t < 300; ++t) {
    const FieldTable table = personal(stream);
    const Choice& choice = session.select(indicated(table), t);
    const double reward = paid(table, choice.arm);
    if (t >= 200) total += reward;
    session.reward(choice.event_id, reward, t);
  }
  EXPECT_GT(total, 90) << session.schema()->to_text();
}

// Chance earns half. Without the products of context and action no linear policy can do better here.
class Personal : public testing::TestWithParam<const char*> {};
TEST_P(Personal, AChoiceDependsOnWhoAsks) {
  Session session(spec_of(GetParam(), 32));
  earned(session, 200);
  EXPECT_GT(earned(session, 100, 2), 90) << session.schema()->to_text();
}
INSTANTIATE_TEST_SUITE_P(Policies, Personal, testing::Values("linear-ucb", "linear-ts", "neural-ts"));

TEST(Session, WithoutProductsALinearPolicyEarnsChance) {
  SessionSpec spec = spec_of("linear-ucb", 32);
  spec.features.interactions = false;
  Session session(spec);
  earned(session, 200);
  EXPECT_LT(earned(session, 100, 2), 75);  // 50 expected, standard deviation 5, five of them
}

TEST(Session, ChoicesAreUniformUntilThereIsASchema) {
  Session session(spec_of("linear-ts", 64));
  Stream stream(1, Purpose::environment);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(session.schema(), nullptr);
    EXPECT_THAT(session.select(visit(stream, 4), 0).decision.probabilities, ElementsAre(0.25, 0.25, 0.25, 0.25));
  }
  session.select(visit(stream, 4), 0);
  EXPECT_NE(session.schema(), nullptr);  // a sixteenth of 64
  EXPECT_FALSE(session.frozen());
  for (int i = 0; i < 60; ++i) session.select(visit(stream, 4), 0);
  EXPECT_TRUE(session.frozen());
}

TEST(Session, RewardsAreAnsweredAndNeverAppliedTwice) {
  Session session(spec_of("linear-ts", 4));
  Stream stream(1, Purpose::environment);
  std::vector<std::string> ids;
  for (int i = 0; i < 6; ++i) ids.push_back(session.select(visit(stream, 3), i).event_id);
  EXPECT_EQ(session.open(), 6u);
  EXPECT_EQ(session.reward(ids[0], 1, 10), Settled::learned);
  const auto after_one = session.to_bytes();
  EXPECT_EQ(session.reward(ids[0], 1, 11), Settled::duplicate);
  EXPECT_EQ(session.reward("nobody", 1, 11), Settled::unknown);
  EXPECT_EQ(session.to_bytes(), after_one);
  EXPECT_EQ(session.expire(5.5, 2, 0.0), 3u);  // those of times 1, 2, 3
  EXPECT_EQ(session.reward(ids[2], 1, 12), Settled::expired);
  EXPECT_EQ(session.reward(ids[5], 1, 12), Settled::learned);
  EXPECT_EQ(session.open(), 1u);
  EXPECT_THROW(session.reward(ids[4], NAN, 12), ContractError);
  EXPECT_THROW(session.reward(ids[4], 1e300, 12), ContractError);
  EXPECT_THROW(session.reward(ids[4], 1, NAN), ContractError);
  EXPECT_THROW(session.select(visit(stream, 3), NAN), ContractError);
  EXPECT_THROW(session.expire(NAN, 1, 0.0), ContractError);
  EXPECT_THROW(session.expire(100, 1, 1e300), ContractError);
  EXPECT_EQ(session.expire(100, 1, std::nullopt), 1u);
  EXPECT_EQ(session.open(), 0u);
}

// A reward that no policy takes is refused while there is none, too: kept, it would fail every later choice.
TEST(Session, ARewardBeyondTheLimitIsRefusedBeforeTheFirstSchema) {
  Session session(spec_of("linear-ts", 16));
  Stream stream(1, Purpose::environment);
  const std::string id = session.select(visit(stream, 3), 0).event_id;
  EXPECT_THROW(session.reward(id, 1e300, 1), ContractError);
  EXPECT_EQ(session.reward(id, 1, 1), Settled::learned);
  for (int i = 0; i < 20; ++i) EXPECT_NO_THROW(session.select(visit(stream, 3), i));
}

TEST(Session, LateRewardsTeachToo) {
  Session late(spec_of("linear-ts", 8));
  Stream stream(1, Purpose::environment);
  std::vector<std::pair<std::string, double>> waiting;
  for (int i = 0; i < 30; ++i) {
    const FieldTable table = personal(stream);
    const auto& choice = late.select(table, i);
    waiting.emplace_back(choice.event_id, paid(table, choice.arm));
  }
  for (const auto& [id, reward] : waiting) EXPECT_EQ(late.reward(id, reward, 100), Settled::learned);
  double sum = 0;
  for (int i = 0; i < 40; ++i) {
    const FieldTable table = personal(stream);
    sum += paid(table, late.select(table, i).arm);
  }
  EXPECT_GT(sum, 30);
}

TEST(Session, EventIdsMayBeTheCallersOwn) {
  Session session(spec_of("random", 4));
  Stream stream(1, Purpose::environment);
  EXPECT_EQ(session.select(visit(stream, 2), 0, "order-7").event_id, "order-7");
  EXPECT_THROW(session.select(visit(stream, 2), 0, "order-7"), ContractError);
  EXPECT_EQ(session.reward("order-7", 1, 0), Settled::learned);
  EXPECT_THROW(session.select(visit(stream, 2), 0, "order-7"), ContractError);
  EXPECT_EQ(session.select(visit(stream, 2), 0).event_id, "s-1");
}

// Two open events of one name could not be told apart, and a file with both could not be read.
TEST(Session, AnIdThatACallerHasTakenIsNotGivenOnceMore) {
  Session session(spec_of("random", 4));
  Stream stream(1, Purpose::environment);
  session.select(visit(stream, 2), 0, "s-1");
  EXPECT_EQ(session.select(visit(stream, 2), 0).event_id, "s-1-");
  EXPECT_EQ(Session::from_bytes(session.to_bytes(), "saved").open(), 2u);
  EXPECT_EQ(session.reward("s-1-", 1, 0), Settled::learned);
  EXPECT_EQ(session.reward("s-1", 1, 0), Settled::learned);
}

// So many arms have no policy once there is a schema: it is said as often as it is asked for.
TEST(Session, ASchemaThatNoPolicyTakesIsRefusedEveryTime) {
  SessionSpec spec = spec_of("random", 1);
  spec.most_arms = std::size_t{1} << 30;
  Session session(spec);
  Stream stream(1, Purpose::environment);
  for (int i = 0; i < 3; ++i) EXPECT_THROW(session.select(visit(stream, 2), 0), ContractError);
  EXPECT_EQ(session.schema(), nullptr);
}

TEST(Session, ARefusedCallChangesNothing) {
  Session session(spec_of("linear-ts", 2));
  Stream stream(1, Purpose::environment);
  for (int i = 0; i < 5; ++i) session.select(visit(stream, 2), 0);
  const auto before = session.to_bytes();
  const FieldTable text = objects({Field::of("hour", "noon")}, {{Field::of("id", "a")}});
  EXPECT_THROW(session.select(text, 0), ContractError);
  EXPECT_THROW(session.select(objects({}, {}), 0), ContractError);
  EXPECT_EQ(session.to_bytes(), before);
}

TEST(Session, AFieldMayTurnOutToBeTextWhileTheSchemaIsLearned) {
  Session session(spec_of("linear-ts", 64));
  for (int i = 0; i < 10; ++i)
    session.select(objects({Field::of("hour", i)}, {{Field::of("id", "a")}, {Field::of("id", "b")}}), 0);
  ASSERT_NE(session.schema(), nullptr);
  session.select(objects({Field::of("hour", "noon")}, {{Field::of("id", "a")}}), 0);
  EXPECT_EQ(session.schema()->context[0].kind, FeatureKind::category);
}

// Saved at any moment, while the schema is learned and after: the copy goes on as the original does.
TEST(Session, SaveLoadContinueEqualsContinue) {
  for (const char* policy : {"linear-ts", "neural-ts"})
    for (const std::size_t rounds : {0u, 2u, 7u, 20u, 40u}) {
      const TempFolder folder;
      SessionSpec spec = spec_of(policy, 32);
      if (std::string(policy) == "neural-ts") spec.policy.params = {{"units", "8"}};
      Session session(spec);
      Stream stream(3, Purpose::environment);
      std::vector<std::string> open;
      const auto step = [](Session& s, Stream& world, std::vector<std::string>& waiting) {
        const FieldTable table = visit(world, 3);
        waiting.push_back(s.select(table, 5).event_id);
        if (waiting.size() > 3) {
          s.reward(waiting.front(), static_cast<double>(s.decisions() % 3), 6);
          waiting.erase(waiting.begin());
        }
      };
      for (std::size_t t = 0; t < rounds; ++t) step(session, stream, open);
      session.save(folder.file("s.nts"));
      Session again = Session::load(folder.file("s.nts"));
      EXPECT_EQ(again.to_bytes(), session.to_bytes());
      Stream there = stream, back = stream;
      auto open_back = open;
      for (int t = 0; t < 40; ++t) {
        step(session, there, open);
        step(again, back, open_back);
      }
      EXPECT_EQ(again.to_bytes(), session.to_bytes()) << policy << " saved after " << rounds;
    }
}

TEST(Session, DamagedFilesAreRefused) {
  Session session(spec_of("linear-ts", 8));
  earned(session, 12);
  const auto whole = session.to_bytes();
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 200)
    EXPECT_THROW(Session::from_bytes(std::span(whole).first(size), "cut"), Error);
  for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 200) {
    auto damaged = whole;
    damaged[at] ^= 0x10;
    EXPECT_THROW(Session::from_bytes(damaged, "damaged"), Error);
  }
}

TEST(Session, WhatANewerProgramSavedIsRefusedWithTheFilesName) {
  SessionSpec spec = spec_of("linear-ts", 8);
  spec.policy.params = {{"nu", "0.5"}};
  Session session(spec);
  earned(session, 12);
  const auto whole = session.to_bytes();
  const std::string text(whole.begin(), whole.end()), version(1, static_cast<char>(policy_file_version));
  for (const auto& [known, later] : {std::pair<std::string, std::string>{"linear-ts", "linear-zz"},
                                     {"nu=0.5", "xy=0.5"},
                                     {"\"events\"", "\"evants\""},
                                     {"NTSPOLCY" + version, "NTSPOLCY\x7f"}}) {
    std::string newer = text;
    ASSERT_NE(newer.find(known), std::string::npos) << known;
    newer.replace(newer.find(known), known.size(), later);
    EXPECT_THAT(error_text<Error>([&] { Session::from_bytes(resealed(newer), "shop.nts"); }),
                StartsWith("shop.nts: ")) << known;
  }
}

TEST(Session, ArmsComeAndGoWithinADeclaredMost) {
  SessionSpec spec = spec_of("linear-ucb", 4);
  spec.most_arms = 3;
  Session session(spec);
  const auto offer = [](std::initializer_list<const char*> ids) {
    FieldTable table;
    table.start_row();
    table.add(Field::of("x", 1));
    for (const char* id : ids) {
      table.start_row();
      table.add(Field::of("id", id));
    }
    return table;
  };
  for (int i = 0; i < 30; ++i) {
    const auto& choice = session.select(offer({"a", "b", "c"}), 0);
    session.reward(choice.event_id, choice.action == "c" ? 5 : 0, 0);
  }
  EXPECT_THAT(session.arms(), ElementsAre("a", "b", "c"));
  EXPECT_THROW(session.select(offer({"a", "d"}), 0), ContractError);
  EXPECT_THROW(session.select(offer({"a", "a"}), 0), ContractError);
  const double of_c = session.select(offer({"a", "c"}), 0).decision.mean[1];
  EXPECT_GT(of_c, 2);
  EXPECT_TRUE(session.retire("c"));
  EXPECT_FALSE(session.retire("c"));
  EXPECT_EQ(session.select(offer({"a", "c"}), 0).decision.mean[1], of_c);  // back before anybody took its place
  session.retire("c");
  const auto& choice = session.select(offer({"a", "d"}), 0);
  EXPECT_NEAR(choice.decision.mean[1], 0, 1e-9);  // d has a block of its own and starts without c's rewards
  EXPECT_THAT(session.arms(), ElementsAre("a", "b", "d"));
}

// What was let go because it had become wrong does not come back with an arm's place.
TEST(Session, ANewArmBringsNothingBackThatWasLetGo) {
  for (const char* policy : {"linear-ts", "neural-ts"}) {
    SessionSpec spec = spec_of(policy, 4);
    spec.policy.params = {{"forget", "auto"}};
    spec.most_arms = 3;
    Session session(spec);
    Stream stream(5, Purpose::environment);
    std::vector<std::string> ids{"a", "b", "c"};
    const auto visits = [&](int count, double sign) {
      double missed = 0;
      for (int i = 0; i < count; ++i) {
        FieldTable table;
        table.start_row();
        const double x = stream.normal();
        table.add(Field::of("x", x));
        for (const auto& id : ids) {
          table.start_row();
          table.add(Field::of("id", id));
        }
        const Choice& choice = session.select(table, i);
        const double paid = choice.action == "a" ? sign * x : choice.action == "b" ? -sign * x : 0;
        missed += std::abs(x) - paid;
        session.reward(choice.event_id, paid, i);
      }
      return missed / count;
    };
    visits(1500, 1);
    visits(500, -1);
    EXPECT_LT(visits(50, -1), 0.05) << policy;
    EXPECT_FALSE(session.notes().empty()) << policy;
    ASSERT_TRUE(session.retire("c"));
    ids[2] = "d";
    EXPECT_LT(visits(50, -1), 0.3) << policy;  // where the first world comes back neural-ts misses 0.7
  }
}

}  // namespace
}  // namespace neuralts
