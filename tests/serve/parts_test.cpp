// The service's small parts: records, ids, durations, configurations, bodies, statistics, the judge.
#include <gtest/gtest.h>

#include <cmath>

#include "serve/bodies.hpp"
#include "serve/event_id.hpp"
#include "serve/field_bytes.hpp"
#include "serve/iso_duration.hpp"
#include "serve/judge.hpp"
#include "serve/join.hpp"
#include "serve/latency.hpp"
#include "serve/loop_config.hpp"
#include "serve/problem.hpp"
#include "serve/record.hpp"

namespace neuralts::serve {

namespace {

EventRecord sample() {
  EventRecord record;
  record.revision = 300;
  record.model = 77;
  record.seed = 0x123456789abcdef0ULL;
  record.deferred = true;
  record.chosen = 1;
  record.baseline = 1;
  record.ids = {"a", "b", std::string(200, 'c')};
  record.probabilities = {0.25F, 0.5F, 0.25F};
  record.excluded = {2};
  record.form = Form::vectors;
  record.length = 2;
  record.vectors = {1, 2, 3, 4, 5, 6};
  return record;
}

}  // namespace

TEST(RecordTest, ComesBackAsItWas) {
  EventRecord record = sample();
  EXPECT_EQ(decode_event(encode(record)), record);
  EXPECT_EQ(revision_of(encode(record)), 300U);
  record.chosen_only = true;
  record.vectors = {3, 4};
  record.slot_ids = {"x", "y"};
  record.slots = 2;
  EXPECT_EQ(decode_event(encode(record)), record);
  EXPECT_EQ(decode_reward(encode(RewardRecord{-0.125})).value, -0.125);
}

TEST(RecordTest, NothingUnsoundIsWrittenAndNoDamagedByteIsRead) {
  EventRecord record = sample();
  record.probabilities[0] = 0.5F;
  EXPECT_THROW(encode(record), ContractError);
  for (const auto& excluded : {std::vector<std::uint32_t>{3}, {1, 1}, {2, 0}, {0, 1, 2}}) {
    record = sample();
    record.excluded = excluded;
    EXPECT_THROW(encode(record), ContractError) << excluded.size();
  }
  record = sample();
  record.length = 0;
  record.vectors.clear();
  EXPECT_THROW(encode(record), ContractError);
  record.form = static_cast<Form>(3);
  EXPECT_THROW(encode(record), ContractError);
  record = sample();
  record.vectors[3] = NAN;
  EXPECT_THROW(encode(record), ContractError);
  EXPECT_THROW(encode(RewardRecord{INFINITY}), ContractError);
  const std::string bytes = encode(sample());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 4);
    EXPECT_THROW(decode_event(changed), Error) << i;
    EXPECT_THROW(decode_event(bytes.substr(0, i)), Error) << i;
  }
}

TEST(EventIdTest, RoundTripsAndTellsForgeries) {
  const IdSigner signer("secret"), other("another");
  for (const EventId id : {EventId{0, 1}, EventId{65535, (std::uint64_t{1} << 48) - 1}, EventId{7, 123456789}}) {
    const std::string text = signer.text(id);
    EXPECT_EQ(text.size(), 26U);
    EXPECT_TRUE(IdSigner::has_form(text));
    EXPECT_EQ(signer.parse(text), id);
    EXPECT_FALSE(other.parse(text));
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::string changed = text;
      changed[i] = changed[i] == '7' ? '6' : '7';
      EXPECT_FALSE(signer.parse(changed)) << i;
    }
  }
  EXPECT_FALSE(IdSigner::has_form("order-17"));
  EXPECT_THROW(signer.text({0, std::uint64_t{1} << 48}), ContractError);
}

/// By another program's HMAC-SHA256: ids that were given away stay valid, also of a key longer than a block.
TEST(EventIdTest, IsSignedAsItEverWas) {
  EXPECT_EQ(IdSigner("secret").text({3, 17}), "000c000000008namw7qbryk7h9");
  EXPECT_EQ(IdSigner(std::string(100, 'k')).text({0, 1}), "0000000000000ythh8nx8p7azg");
}

TEST(DurationTest, ReadsAndWrites) {
  EXPECT_EQ(parse_duration("PT10M"), 600'000'000);
  EXPECT_EQ(parse_duration("P1DT2H3M4.5S"), 93'784'500'000);
  for (const char* bad : {"", "P", "PT", "10M", "P1Y", "PT1", "PT-1S", "P1M", "PTT1S", "PT1X"})
    EXPECT_FALSE(parse_duration(bad)) << bad;
  for (const std::int64_t us :
       {std::int64_t{0}, std::int64_t{5'000'000}, std::int64_t{600'000'000}, std::int64_t{93'784'500'000}})
    EXPECT_EQ(parse_duration(duration_text(us)), us);
  EXPECT_EQ(duration_text(600'000'000), "PT10M");
}

TEST(LoopConfigTest, ReadsWhatItWritesAndNamesWhatItRefuses) {
  LoopConfig config = loop_config_from_json(
      R"({"policy":"linear-ucb","params":{"nu":0.5},"mode":"apprentice","reward":{"default":null,"aggregation":"median"}})");
  EXPECT_FALSE(config.has_default);
  EXPECT_EQ(config.params.at("nu"), "0.5");
  EXPECT_EQ(loop_config_from_json(to_json(config)), config);
  const std::pair<const char*, const char*> bad[] = {
      {R"({"polcy":1})", "polcy"},  {R"({"policy":"linear-tz"})", "policy"}, {R"({"reward":{"window_seconds":-1}})", "reward.window_seconds"},
      {R"({"mode":"on"})", "mode"}, {R"({"exploration":1.5})", "exploration"}, {R"({"params":{"nu":[1]}})", "params.nu"},
      {R"({"features":"some"})", "features"}, {R"([])", ""}, {R"({)", ""}};
  for (const auto& [text, field] : bad) try {
      loop_config_from_json(text);
      ADD_FAILURE() << text;
    } catch (const Problem& problem) {
      EXPECT_EQ(problem.field(), field) << text;
    }
}

TEST(JoinTest, Aggregates) {
  const std::vector<double> rewards = {3, 1, 2, 10};
  EXPECT_EQ(aggregate(Aggregation::earliest, rewards), 3);
  EXPECT_EQ(aggregate(Aggregation::sum, rewards), 16);
  EXPECT_EQ(aggregate(Aggregation::average, rewards), 4);
  EXPECT_EQ(aggregate(Aggregation::median, rewards), 2.5);
  EXPECT_EQ(aggregate(Aggregation::min, rewards), 1);
  EXPECT_EQ(aggregate(Aggregation::max, rewards), 10);
}

TEST(JoinTest, ASetOfSequencesForgetsFromBelow) {
  SequenceSet set;
  for (Sequence s = 1000; s < 3000; s += 3) set.insert(s);
  set.insert(10);
  EXPECT_TRUE(set.contains(10));
  EXPECT_TRUE(set.contains(1000));
  EXPECT_FALSE(set.contains(1001));
  EXPECT_FALSE(set.contains(99999));
  set.forget_below(2000);
  EXPECT_FALSE(set.contains(1000));
  EXPECT_TRUE(set.contains(2002));
  neuralts::Writer out;
  set.save(out);
  neuralts::Reader in(out.bytes(), "test");
  SequenceSet back;
  back.restore(in, 3000);
  for (Sequence s = 2000; s < 3100; ++s) EXPECT_EQ(back.contains(s), set.contains(s));
}

// A set that begins far beyond all records would fill the memory with zeros down to the next of them.
TEST(JoinTest, ASetThatKnowsRecordsBeyondTheLastIsRefused) {
  const auto restored = [](std::uint64_t first_word, std::size_t words) {
    neuralts::Writer out;
    out.value(first_word);
    out.values(std::vector<std::uint64_t>(words, 1));
    neuralts::Reader in(out.bytes(), "test");
    SequenceSet().restore(in, 640);
  };
  EXPECT_NO_THROW(restored(10, 1));
  EXPECT_NO_THROW(restored(11, 0));
  EXPECT_THROW(restored(10, 2), Error);
  EXPECT_THROW(restored(12, 0), Error);
  EXPECT_THROW(restored(~std::uint64_t{0}, 1), Error);
}

TEST(BodiesTest, ObjectsBecomeFields) {
  BodyParser parser({});
  bool batch = false;
  const auto bodies = parser.rank(
      R"({"context":{"user":{"age":31},"tags":["new","red"],"size":[3,4],"city":null},"actions":[{"id":"a","features":{"hot":true}}]})", batch);
  ASSERT_EQ(bodies.size(), 1U);
  const Fields context = bodies[0].offered.objects.row(0);
  ASSERT_EQ(context.size(), 6U);
  EXPECT_EQ(context[0], Field::of("user.age", 31.0));
  EXPECT_EQ(context[2], Field::of("tags", "red"));
  EXPECT_EQ(context[4], Field::of("size[1]", 4.0));
  EXPECT_EQ(context[5], Field::missing_of("city"));
  EXPECT_EQ(bodies[0].offered.objects.row(1)[0], Field::of("id", "a"));
}

TEST(FieldBytesTest, RowsComeBackWholeOrOneByOneAndNoTruncatedByteIsRead) {
  BodyParser parser({});
  bool batch = false;
  const auto bodies = parser.rank(
      R"({"context":{"u":{"age":31.5},"t":["x","y"],"n":null},"actions":[{"id":"a","features":{"hot":true,"p":0.1}},{"id":"b","features":{"p":2,"cold":false}}]})",
      batch);
  FieldTable table = bodies[0].offered.objects, again;
  table.add(Field::of("wide", 0.1));  // not a float
  const std::string bytes = field_bytes(table);
  read_fields(bytes, again);
  EXPECT_EQ(again, table);
  for (std::size_t action = 0; action < 2; ++action) {
    FieldTable one;
    one.add_row(table.row(0));
    one.add_row(table.row(1 + action));
    read_fields_of(bytes, action, again);
    EXPECT_EQ(again, one);
    EXPECT_EQ(field_bytes_of(table, action), field_bytes(one));
  }
  EXPECT_THROW(read_fields_of(bytes, 2, again), Error);
  for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_THROW(read_fields(bytes.substr(0, i), again), Error) << i;
}

TEST(FieldBytesTest, ManyNamesAreKeptAsTheyAre) {
  FieldTable table, again;
  for (int row = 0; row < 3; ++row) {
    table.start_row();
    for (int i = 0; i < 300; ++i) table.add(Field::of("name" + std::to_string((i * 7 + row) % 211), i));
  }
  read_fields(field_bytes(table), again);
  EXPECT_EQ(again, table);
}

TEST(BodiesTest, ASlotsFeaturesAreReadAndVectorsHaveNoRoomForThem) {
  BodyParser parser({});
  const RankBody& body = parser.slots(
      R"({"actions":[{"id":"a"},{"id":"b"}],"slots":[{"id":"top","features":{"size":3,"page":{"kind":"home"}}},{"id":"side"}]})");
  ASSERT_EQ(body.slots.size(), 2U);
  ASSERT_EQ(body.slots[0].features.rows(), 1U);
  EXPECT_EQ(body.slots[0].features.row(0)[0], Field::of("slot.size", 3.0));
  EXPECT_EQ(body.slots[0].features.row(0)[1], Field::of("slot.page.kind", "home"));
  EXPECT_TRUE(body.slots[1].features.empty());
  EXPECT_THROW(
      parser.slots(R"({"actions":[{"id":"a","vector":[1]}],"slots":[{"id":"top","features":{"size":3}}]})"),
      Problem);
}

TEST(BodiesTest, ProblemsNameThePlace) {
  BodyParser parser({});
  const std::pair<const char*, const char*> bad[] = {
      {R"({"actions":[{"id":"a"},{"id":"a"}]})", "actions[1].id"},
      {R"({"actions":[{"id":"a"},{"id":""}]})", "actions[1].id"},
      {R"([{"actions":[{"id":"a"}]},{"actions":[{"id":"a","features":{"x":{"y":1e300}}}]}])",
       "[1].actions[0].features.x.y"},
      {R"({"context":{"a":1,"a":2},"actions":[{"id":"a"}]})", "context.a"},
      {R"({"actions":[{"id":"a","vector":[1]},{"id":"b","vector":[1,2]}]})", "actions[1].vector"},
      {R"({"actions":[{"id":"a","vector":[0,-1.5e15]}]})", "actions[0].vector[1]"},
      {R"({"actions":[{"id":"a","features":{"id":3}}]})", "actions[0].features.id"},
      {R"({"actions":[{"id":"a"}],"excluded":["b"]})", "excluded"},
      {R"({"actions":[{"id":"a"}],"more":1})", "more"}};
  for (const auto& [text, field] : bad) try {
      bool batch = false;
      parser.rank(text, batch);
      ADD_FAILURE() << text;
    } catch (const Problem& problem) {
      EXPECT_EQ(problem.field(), field) << text;
    }
}

// Every prefix and a thousand mutations of a sound body are read or refused, and never more than that.
TEST(BodiesTest, MutatedBodiesAreReadOrRefused) {
  const std::string sound =
      R"([{"context":{"a":{"b":[1,2]},"t":"x\u00e9"},"actions":[{"id":"a","features":{"p":1.5e3}},{"id":"b"}],"excluded":["b"],"event_id":"e","defer":true}])";
  BodyParser parser({});
  Stream chance(1, Purpose::data_order);
  const auto try_all = [&](const std::string& text) {
    bool batch = false;
    try { parser.rank(text, batch); } catch (const Problem& problem) { EXPECT_LT(problem.status(), 500); }
    try { parser.slots(text); } catch (const Problem&) {}
    try { parser.reward(text); } catch (const Problem&) {}
    try { parser.rank_binary(text); } catch (const Problem&) {}
    for (const bool slots : {false, true}) {
      try { parser.personalizer_rank(text, slots); } catch (const Problem&) {}
      try { parser.personalizer_reward(text, slots); } catch (const Problem&) {}
    }
  };
  for (std::size_t i = 0; i <= sound.size(); ++i) try_all(sound.substr(0, i));
  for (int i = 0; i < 1000; ++i) {
    std::string text = sound;
    for (auto n = 1 + chance.below(4); n > 0; --n)
      text[chance.below(text.size())] = static_cast<char>(chance.below(256));
    try_all(text);
  }
}

TEST(JudgeTest, RefusesWhatIsWorseOrSickAndLetsNoisePass) {
  const PolicySpec spec{.name = "linear-ts", .shape = {2, 1}};
  const auto model = [&](double slope, int rounds) {
    ModelLearner learner(spec);
    Stream numbers(1, Purpose::data_order);
    for (int i = 0; i < rounds; ++i) {
      const double x[2] = {1, numbers.normal()};
      learner.observe({x}, slope * x[1]);
    }
    const std::string bytes = learner.publish();
    return decision_model(bytes, "test");
  };
  Judge judge;
  Stream numbers(2, Purpose::data_order);
  for (int i = 0; i < 200; ++i) {
    const double x = numbers.normal();
    judge.add({1, x}, x + 0.1 * numbers.normal());
  }
  const auto good = model(1, 200), as_good = model(1, 300), bad = model(-1, 200);
  EXPECT_FALSE(judge.refusal(nullptr, *good));
  EXPECT_FALSE(judge.refusal(good.get(), *as_good));
  EXPECT_TRUE(judge.refusal(good.get(), *bad));
  EXPECT_FALSE(judge.refusal(bad.get(), *good));
}

// What a checkpoint holds of it, as it is now and as version 1 had it.
TEST(ModelLearnerTest, GoesOnWhereItStood) {
  const PolicySpec spec{.name = "linear-ts", .shape = {2, 1}};
  ModelLearner learner(spec);
  const auto bare = make_learner(spec);
  const auto show = [](ModelLearner& one, int i) {
    const double x[2] = {1, 0.1 * i};
    one.observe({x}, 0.3 * i);
  };
  const double x[2] = {1, 0.5};
  const Finished round{.context = {x}, .reward = 2};
  learner.observe(round.context, round.reward);
  bare->played(round.context);
  bare->observe({&round, 1});
  Writer state;
  bare->save(state);
  ModelLearner again(learner.save()), of_version_1(spec, {state.bytes().data(), state.bytes().size()});
  for (int i = 0; i < 20; ++i) show(learner, i), show(again, i), show(of_version_1, i);
  EXPECT_EQ(again.publish(), learner.publish());
  EXPECT_EQ(of_version_1.publish(), learner.publish());
}

TEST(LatencyTest, QuantilesAreNear) {
  LatencyMeter meter;
  for (int i = 1; i <= 1000; ++i) meter.add(i, 1'000'000);
  EXPECT_NEAR(meter.quantile_us(0.5, 1'000'000), 500, 30);
  EXPECT_NEAR(meter.quantile_us(0.99, 1'000'000), 990, 55);
  EXPECT_EQ(meter.quantile_us(0.5, 200'000'000), 0);
}

}  // namespace neuralts::serve
