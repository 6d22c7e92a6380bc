#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_text.hpp"
#include "session/personal.hpp"

namespace neuralts {
namespace {

using testing::HasSubstr;

// For a linear belief leaving a term out changes the mean by weight times input, so that all terms together are
// the mean.
TEST(Explain, IsExactForALinearBelief) {
  Session session(spec_of("linear-ts", 16));
  Stream stream(4, Purpose::environment);
  for (int i = 0; i < 100; ++i) {
    const FieldTable table = visit(stream, 3);
    const auto& choice = session.select(table, 0);
    session.reward(choice.event_id, table.row(1 + choice.arm)[1].number, 0);
  }
  const FieldTable table = visit(stream, 3);
  const Explanation why = session.explain(table, 0);
  double sum = 0;
  for (const auto& part : why.contributions) sum += part.mean;
  EXPECT_NEAR(sum, why.mean - why.other_mean, 1e-9);
  EXPECT_THAT(why.contributions[0].name, HasSubstr("price"));
  EXPECT_THAT(why.to_text(), HasSubstr("what it adds against the other"));
  FieldTable context_alone;
  context_alone.start_row();
  EXPECT_THAT(error_text<ContractError>([&] { session.explain(table, 3); }),
              HasSubstr("arm 3 is not among the 3 offered"));
  EXPECT_THAT(error_text<ContractError>([&] { session.explain(context_alone, 0); }),
              HasSubstr("no action is offered"));
}

TEST(Explain, WorksForEveryBeliefAndForArmsByName) {
  for (const char* policy : {"neural-ts", "linear-ucb"}) {
    SessionSpec spec = spec_of(policy, 8);
    spec.most_arms = 2;
    Session session(spec);
    EXPECT_THROW(session.explain(objects({}, {{Field::of("id", "a")}}), 0), ContractError);
    earned(session, 60);
    Stream stream(9, Purpose::environment);
    const Explanation why = session.explain(personal(stream), 0);
    EXPECT_EQ(why.action, "a");
    EXPECT_EQ(why.other, "b");
    EXPECT_FALSE(why.contributions.empty());
  }
}

// The only place left is a retired arm's, and what lies there is no knowledge of the newcomer.
TEST(Explain, AnArmWithoutAPlaceIsNotTakenForTheOneBeforeIt) {
  SessionSpec spec = spec_of("linear-ucb", 8);
  spec.most_arms = 2;
  Session session(spec);
  earned(session, 60);
  ASSERT_TRUE(session.retire("b"));
  const FieldTable offered = objects({Field::of("country", "DE")}, {{Field::of("id", "a")}, {Field::of("id", "new")}});
  EXPECT_EQ(session.explain(offered, 0).other, "");
  EXPECT_THROW(session.explain(offered, 1), ContractError);
}

}  // namespace
}  // namespace neuralts
