#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/utf8.hpp"
#include "feature/objects.hpp"
#include "neuralts/error.hpp"

namespace neuralts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class Read>
bool refused(const Read& read) {
  try {
    read();
    return false;
  } catch (const Error&) {
    return true;
  }
}

const Feature& named(const std::vector<Feature>& features, const std::string& name) {
  for (const auto& feature : features)
    if (feature.name == name) return feature;
  throw std::out_of_range(name);
}

TEST(SchemaLearner, TakesFieldsForWhatTheyLookLike) {
  const Schema schema = learned_schema();
  EXPECT_EQ(named(schema.context, "country").kind, FeatureKind::category);
  EXPECT_THAT(named(schema.context, "country").values, ElementsAre("DE", "FR", "IT", "US"));
  EXPECT_EQ(named(schema.context, "hour").kind, FeatureKind::number);
  EXPECT_EQ(named(schema.context, "member").kind, FeatureKind::truth);
  EXPECT_EQ(named(schema.context, "tags").kind, FeatureKind::list);
  EXPECT_EQ(named(schema.action, "id").kind, FeatureKind::id);
  EXPECT_EQ(named(schema.action, "price").kind, FeatureKind::number);
  EXPECT_LE(schema.length(), 256u);
}

// 900 prices from N(10, 3): the mean is within 5 standard errors, 5 * 3 / 30 = 0.5, the deviation within 5 * 3
// / sqrt(1800) < 0.4.
TEST(SchemaLearner, NumbersAreStandardisedByWhatWasSeen) {
  const Schema schema = learned_schema(300);
  EXPECT_NEAR(named(schema.action, "price").mean, 10, 0.5);
  EXPECT_NEAR(named(schema.action, "price").deviation, 3, 0.4);
  EXPECT_TRUE(named(schema.action, "price").curved);
}

TEST(SchemaLearner, ANumberOfTwoValuesHasNoSquare) {
  SchemaLearner learner;
  for (int i = 0; i < 20; ++i)
    learner.see(
        objects({Field::of("size", 1 + i % 2), Field::of("age", 20 + i % 3)}, {{Field::of("id", "a")}}));
  EXPECT_FALSE(named(learner.schema().context, "size").curved);
  EXPECT_TRUE(named(learner.schema().context, "age").curved);
}

// At its mean an indicator would be 0, as if it were missing.
TEST(SchemaLearner, ANumberThatIsTheSameOrMissingIsCountedFromZero) {
  SchemaLearner learner;
  for (int i = 0; i < 10; ++i) {
    const Field sized = Field::of("size", -4), always = Field::of("always", 7);
    learner.see(objects({Field::of(i % 2 == 0 ? "new" : "old", 1)}, {{sized, always}, {always}}));
  }
  const Schema schema = learner.schema();
  for (const char* name : {"new", "old"}) {
    EXPECT_EQ(named(schema.context, name).mean, 0);
    EXPECT_EQ(named(schema.context, name).deviation, 1);
  }
  EXPECT_EQ(named(schema.action, "size").mean, 0);
  EXPECT_EQ(named(schema.action, "size").deviation, 4);
  EXPECT_EQ(named(schema.action, "always").mean, 7);
}

TEST(SchemaLearner, LargeNumbersLoseNothing) {
  SchemaLearner learner;
  for (const double x : {1e9 + 1, 1e9 + 2, 1e9 + 3}) learner.see(objects({}, {{Field::of("stamp", x)}}));
  const Schema schema = learner.schema();
  EXPECT_NEAR(schema.action[0].mean, 1e9 + 2, 1e-6);
  EXPECT_NEAR(schema.action[0].deviation, std::sqrt(2.0 / 3), 1e-6);
}

TEST(SchemaLearner, TheLargestNumbersThereAreGiveAFiniteScale) {
  SchemaLearner learner;
  const double largest = std::numeric_limits<double>::max();
  for (const double x : {largest, -largest, largest, 3.0, -largest})
    learner.see(objects({}, {{Field::of("stamp", x)}}));
  const Schema schema = learner.schema();
  EXPECT_TRUE(std::isfinite(schema.action[0].mean));
  EXPECT_TRUE(std::isfinite(schema.action[0].deviation));
  EXPECT_GT(schema.action[0].deviation, 0);
}

TEST(SchemaLearner, DoesNotDependOnTheOrderOfFields) {
  SchemaLearner there, back;
  there.see(objects({Field::of("a", 1), Field::of("b", "x")}, {{Field::of("c", 2), Field::of("d", 3)}}));
  back.see(objects({Field::of("b", "x"), Field::of("a", 1)}, {{Field::of("d", 3), Field::of("c", 2)}}));
  EXPECT_EQ(there.schema(), back.schema());
}

TEST(SchemaLearner, AVocabularyAboveItsCapIsHashed) {
  FeatureSettings settings;
  settings.values = 8;
  SchemaLearner learner(settings);
  for (int i = 0; i < 40; ++i)
    for (int repeat = 0; repeat < (i < 4 ? 3 : 1); ++repeat)
      learner.see(objects({Field::of("city", "city" + std::to_string(i))},
                          {{Field::of("id", "a" + std::to_string(i))}}));
  const Schema schema = learner.schema();
  EXPECT_THAT(schema.context[0].values, ElementsAre("city0", "city1", "city2", "city3"));  // the frequent ones
  EXPECT_EQ(schema.context[0].hashed, 4u);
  EXPECT_TRUE(schema.action[0].values.empty());
  EXPECT_EQ(schema.action[0].hashed, settings.id_slots);
}

TEST(SchemaLearner, ShrinksToTheSizeAskedFor) {
  FeatureSettings settings;
  settings.size = 120;
  SchemaLearner learner(settings);
  for (int i = 0; i < 400; ++i) {
    FieldTable table;
    table.start_row();
    for (int f = 0; f < 5; ++f)
      table.add(Field::of("f" + std::to_string(f), "v" + std::to_string(i % (10 * f + 2))));
    table.start_row();
    table.add(Field::of("id", "item" + std::to_string(i)));
    learner.see(table);
  }
  EXPECT_LE(learner.schema().length(), 120u);
}

// Names that hold ids: each object has some that no other has.
TEST(SchemaLearner, OfThousandsOfFieldsTheFrequentOnesAreKept) {
  SchemaLearner learner;
  for (int i = 0; i < 10; ++i) {
    FieldTable table;
    table.start_row();
    for (int f = 0; f < 1000; ++f) table.add(Field::of("seen" + std::to_string(1000 * i + f), f + i));
    table.add(Field::of("z", i));
    table.start_row();
    table.add(Field::of("id", "item" + std::to_string(i)));
    learner.see(table);
  }
  const Schema schema = learner.schema();
  EXPECT_LE(schema.context_length(), 4097u);
  EXPECT_GT(schema.context_length(), 4000u);
  EXPECT_EQ(named(schema.context, "z").kind, FeatureKind::number);
  FeatureSettings wide;
  wide.size = 10000;
  SchemaLearner second(wide);
  FieldTable table;
  table.start_row();
  for (int f = 0; f < 5000; ++f) table.add(Field::of("f" + std::to_string(f), f));
  table.start_row();
  table.add(Field::of("id", "item"));
  second.see(table);
  EXPECT_EQ(second.schema().context.size(), 5000u) << "as large as it is asked for";
}

// A million values were compared with each other.
TEST(SchemaLearner, AListMayBeLong) {
  FieldTable table;
  table.start_row();
  for (int i = 0; i < 1'000'000; ++i) table.add(Field::of("tags", "new"));
  table.start_row();
  table.add(Field::of("id", "item"));
  SchemaLearner learner;
  learner.see(table);
  EXPECT_EQ(named(learner.schema().context, "tags").kind, FeatureKind::list);
}

TEST(SchemaLearner, AFieldNeverGivenAValueIsIgnored) {
  SchemaLearner learner;
  learner.see(objects({Field::missing_of("nothing")}, {{Field::of("x", 1)}}));
  EXPECT_EQ(learner.schema().context[0].kind, FeatureKind::ignored);
}

TEST(SchemaLearner, DeclaredFieldsKeepTheirKind) {
  const auto settings = parse_features(
      R"({"context": {"hour": "category"}, "action": {"id": {"kind": "category", "values": ["b", "a"]}}})");
  EXPECT_FALSE(settings.automatic || settings.complete());
  SchemaLearner learner(settings);
  learner.see(objects({Field::of("hour", 3)}, {{Field::of("id", "a")}}));
  const Schema schema = learner.schema();
  EXPECT_TRUE(schema.strict);
  EXPECT_THAT(schema.context[0].values, ElementsAre("3"));
  EXPECT_THAT(schema.action[0].values, ElementsAre("a", "b"));
}

TEST(Features, CompleteOnesNeedNoEvent) {
  const auto settings = parse_features(
      R"({"context": {"hour": {"kind": "number", "mean": 12, "deviation": 7}}, "action": {"id": {"kind": "id", "hashed": 32}}})");
  EXPECT_TRUE(settings.complete());
  const Schema schema = SchemaLearner(settings).schema();
  EXPECT_EQ(schema.context[0].mean, 12);
  EXPECT_EQ(schema.action[0].hashed, 32u);
  EXPECT_EQ(parse_features(settings.to_json()), settings);
  EXPECT_TRUE(parse_features("auto").automatic);
}

TEST(Features, WhatIsWrongIsNamed) {
  const std::pair<const char*, const char*> cases[] = {
      {"automatic", "neither \"auto\" nor"},
      {"{", "not a JSON object"},
      {R"({"events": 5, "events": 6})", "the key 'events' stands twice"},
      {R"({"contex": {}})", "did you mean 'context'"},
      {R"({"context": {"hour": "numbr"}})", "context field 'hour': unknown kind 'numbr'"},
      {R"({"action": {"p": {"kind": "number", "deviation": 0}}})", "action field 'p': the deviation is 0"},
      {R"({"action": {"p": {"kind": "category", "values": ["a", "a"]}}})", "'a' is listed twice"},
      {R"({"action": {"p": {"kind": "category", "values": [1]}}})", "not a text"},
      {R"({"action": {"p": {}}})", "there is no \"kind\""},
      {R"({"action": {"p": 3}})", "a kind, or an object"},
      {R"({"events": -1})", "\"events\" is -1"},
      {R"({"events": 0})", "needs to see events"},
      {R"({"size": 1.5})", "\"size\" is 1.5"},
  };
  for (const auto& [text, problem] : cases) {
    try {
      parse_features(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_spec);
      EXPECT_THAT(error.what(), HasSubstr(problem)) << text;
    }
  }
}

// A few of them claim what no memory holds.
TEST(Features, FieldsOfVeryManyNumbersAreRefused) {
  std::string fields;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    fields += std::string(fields.empty() ? "" : ", ") + "\"" + name +
              R"(": {"kind": "list", "hashed": 999998})";
    const std::string text = R"({"action": {)" + fields + "}}";
    EXPECT_EQ(refused([&] { parse_features(text); }), *name > 'd') << name;
    EXPECT_FALSE(refused([&] { Schema::from_json(text); })) << name;
  }
  EXPECT_TRUE(refused(
      [&] { Schema::from_json(R"({"context": {)" + fields + R"(, "i": {"kind": "list", "hashed": 8}}})"); }));
}

// Copying or printing it would take all of the stack.
TEST(Features, JsonWithoutEndIsNotRead) {
  std::string deep = R"({"context": {"hour": )";
  for (int i = 0; i < 100'000; ++i) deep += R"([{"a":)";
  deep += "1";
  for (int i = 0; i < 100'000; ++i) deep += "}]";
  EXPECT_THROW(parse_features(deep + "}}"), Error);
}

TEST(Schema, SaveAndLoadIsTheSameBitForBit) {
  for (const std::size_t ids : {5u, 500u}) {
    const Schema schema = learned_schema(300, {}, ids);
    EXPECT_EQ(Schema::from_json(schema.to_json()), schema);
  }
}

TEST(Schema, IsReadableByAPerson) {
  const std::string text = learned_schema().to_text();
  for (const char* line : {"context   country", "category", "DE, FR, IT, US; other", "action    price",
                           "deviation", "context x action", "left out"})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST(Utf8, IsToldFromOtherBytes) {
  for (const char* text : {"", "plain", "gr\xC3\xBC\xC3\x9F", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"})
    EXPECT_TRUE(is_utf8(text)) << text;
  for (const char* text :
       {"\xFF", "\xC3", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\x80", "a\xE2\x82"})
    EXPECT_FALSE(is_utf8(text)) << text;
}

}  // namespace
}  // namespace neuralts
