#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "feature/objects.hpp"
#include "neuralts/error.hpp"

namespace neuralts {
namespace {

using testing::HasSubstr;

Schema small_schema(bool exact = true) {
  Schema schema;
  schema.context = {{.name = "country", .kind = FeatureKind::category, .learned = false, .values = {"DE", "FR"}},
                    {.name = "hour", .kind = FeatureKind::number, .learned = false, .mean = 12, .deviation = 4}};
  schema.action = {{.name = "id", .kind = FeatureKind::id, .learned = false, .hashed = 8},
                   {.name = "new", .kind = FeatureKind::truth, .learned = false}};
  schema.interaction_slots = exact ? 0 : 16;
  return schema;
}

double at(const Encoder& encoder, const std::vector<double>& row, const std::string& name) {
  const auto names = encoder.column_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return row[i];
  throw std::out_of_range(name);
}

TEST(Encoder, EverySlotByHand) {
  Schema schema = small_schema();
  schema.personal_ids = true;
  const Encoder encoder(schema);
  ASSERT_EQ(encoder.length(), 1 + 6 + 11 + 3 * 9u);  // products with neither "other" nor "missing"
  const auto row = encoded(encoder, objects({Field::of("country", "FR"), Field::of("hour", 14)},
                                            {{Field::of("id", "a"), Field::truth_of("new", true)}}));
  const double root = std::sqrt(2.0);  // two fields in the context and two in the action
  EXPECT_DOUBLE_EQ(at(encoder, row, "constant"), 0.5);
  EXPECT_DOUBLE_EQ(at(encoder, row, "country=FR"), 0.5 / root);
  EXPECT_DOUBLE_EQ(at(encoder, row, "country=DE"), 0);
  EXPECT_DOUBLE_EQ(at(encoder, row, "hour"), 0.5 * 0.5 / root);
  EXPECT_DOUBLE_EQ(at(encoder, row, "hour missing"), 0);
  EXPECT_DOUBLE_EQ(at(encoder, row, "new"), 0.5 / root);
  EXPECT_DOUBLE_EQ(at(encoder, row, "country=FR x new"), 0.5 / 2);
  EXPECT_DOUBLE_EQ(at(encoder, row, "hour x new"), 0.5 * 0.5 / 2);
  EXPECT_DOUBLE_EQ(at(encoder, row, "country=DE x new"), 0);
}

// Where the action has other features, the taste is theirs: an id has its own worth and no product. Alone it
// has both.
TEST(Encoder, IdsHaveProductsWhereNothingElseCarriesTheTaste) {
  Schema schema = small_schema();
  const Encoder encoder(schema);
  ASSERT_EQ(encoder.length(), 1 + 6 + 11 + 3 * 1u);
  const auto row = encoded(encoder, objects({Field::of("country", "FR"), Field::of("hour", 14)},
                                            {{Field::of("id", "a"), Field::truth_of("new", true)}}));
  EXPECT_DOUBLE_EQ(at(encoder, row, "country=FR x new"), 0.5 / std::sqrt(2.0));
  const auto names = encoder.column_names();
  EXPECT_EQ(std::count_if(names.begin(), names.end(),
                          [](const std::string& name) { return name.find("x id") != name.npos; }),
            0);
  schema.action.pop_back();
  EXPECT_EQ(Encoder(schema).length(), 1 + 6 + 9 + 3 * 8u);
}

TEST(Encoder, WithoutProductsOrWithoutAContext) {
  Schema schema = small_schema();
  schema.interactions = false;
  const Encoder plain(schema);
  EXPECT_EQ(plain.length(), 1 + 6 + 11u);
  const auto row = encoded(plain, objects({Field::of("country", "FR"), Field::of("hour", 16)},
                                          {{Field::of("id", "a"), Field::truth_of("new", true)}}));
  EXPECT_NEAR(std::inner_product(row.begin(), row.end(), row.begin(), 0.0), 1, 1e-12);
  schema.interactions = true;
  schema.context.clear();
  const Encoder alone(schema);
  EXPECT_EQ(alone.length(), 1 + 11u);
  EXPECT_EQ(encoded(alone, objects({}, {{Field::of("id", "a")}})).size(), 12u);
}

TEST(Encoder, UnseenAndMissingHaveTheirSlots) {
  Schema schema = small_schema();
  schema.cross_gaps = true;
  const Encoder encoder(schema);
  const auto unseen = encoded(
      encoder, objects({Field::of("country", "US"), Field::of("hour", 12)}, {{Field::of("id", "a")}}));
  EXPECT_GT(at(encoder, unseen, "country other"), 0);
  EXPECT_EQ(at(encoder, unseen, "country missing"), 0);
  EXPECT_GT(at(encoder, unseen, "new missing"), 0);
  const auto missing = encoded(encoder, objects({Field::missing_of("country")}, {{Field::of("id", "a")}}));
  EXPECT_EQ(at(encoder, missing, "country other"), 0);
  EXPECT_GT(at(encoder, missing, "country missing"), 0);
  EXPECT_GT(at(encoder, missing, "hour missing"), 0);
  EXPECT_GT(at(encoder, missing, "country missing x new missing"), 0);
}

TEST(Encoder, ACurvedNumberHasItsSquareAndNoProductOfIt) {
  Schema schema = small_schema();
  schema.action.push_back({.name = "price", .kind = FeatureKind::number, .learned = false, .mean = 10, .deviation = 2, .curved = true});
  const Encoder encoder(schema);
  const double weight = 0.5 / std::sqrt(3.0);  // three fields in the action
  const auto row = [&](double price) {
    return encoded(encoder, objects({Field::of("country", "FR"), Field::of("hour", 12)},
                                    {{Field::of("id", "a"), Field::of("price", price)}}));
  };
  for (const auto& [price, squared] :
       {std::pair(10.0, -std::sqrt(0.5)), {12.0, 0.0}, {8.0, 0.0}, {14.0, 3 * std::sqrt(0.5)}, {1e6, 4.0}})
    EXPECT_NEAR(at(encoder, row(price), "price squared"), weight * squared, 1e-12) << price;
  EXPECT_EQ(at(encoder, encoded(encoder, objects({}, {{Field::of("id", "a")}})), "price squared"), 0);
  const auto names = encoder.column_names();
  EXPECT_EQ(std::count_if(names.begin(), names.end(),
                          [](const std::string& name) { return name.find("squared") != name.npos; }),
            1);
  EXPECT_EQ(Schema::from_json(schema.to_json()), schema);
}

TEST(Encoder, AFileThatDoesNotSpeakOfGapsHadProductsWithThem) {
  const std::string before = R"({"context": {"hour": {"kind": "number"}}, "action": {"new": "truth"}})";
  EXPECT_EQ(Encoder(Schema::from_json(before)).length(), 1 + 2 + 2 + 2 * 2u);
  Schema now = Schema::from_json(before);
  now.cross_gaps = false;
  EXPECT_EQ(Encoder(Schema::from_json(now.to_json())).length(), 1 + 2 + 2 + 1u);
}

TEST(Encoder, ContextsHaveLengthOneWhenNumbersAreTypical) {
  const Encoder encoder(small_schema());
  const auto row = encoded(encoder, objects({Field::of("country", "FR"), Field::of("hour", 16)},
                                            {{Field::of("id", "a"), Field::truth_of("new", false)}}));
  EXPECT_NEAR(std::inner_product(row.begin(), row.end(), row.begin(), 0.0), 1, 1e-12);
}

TEST(Encoder, TheProductsAreWhatTheirDefinitionSays) {
  for (const auto& [exact, personal_ids] : {std::pair(true, true), {false, true}, {true, false}, {false, false}}) {
    Schema schema = small_schema(exact);
    schema.personal_ids = personal_ids;
    const Encoder encoder(schema);
    Stream stream(3, Purpose::environment);
    for (int round = 0; round < 50; ++round) {
      const FieldTable table = objects(
          {Field::of("country", round % 3 == 0 ? "DE" : "XX"), Field::of("hour", 24 * stream.uniform())},
          {{Field::of("id", std::to_string(stream.below(30))), Field::truth_of("new", round % 2 == 0)}});
      std::vector<double> summed(encoder.length(), 0.0);
      for (const Term& term : encoder.terms(table.row(0), table.row(1))) summed[term.slot] += term.value;
      const auto row = encoded(encoder, table);
      for (std::size_t i = 0; i < row.size(); ++i) EXPECT_NEAR(row[i], summed[i], 1e-15);
    }
  }
}

// With s(i) t(j) random signs the sketched inner product of two products is right on average over schemas; for
// one schema with D = 160 slots its standard deviation is about sqrt(2 / D) < 0.12 of the lengths, so that the
// mean over 200 pairs of unit vectors is within 5 * 0.12 / sqrt(200) < 0.05 were they independent; they share
// the hash, hence twice that.
TEST(Encoder, SketchedProductsKeepInnerProducts) {
  Schema schema = learned_schema(300, {.personal_ids = true}, 500);
  ASSERT_GT(schema.interaction_slots, 100u);
  const Encoder sketched(schema);
  schema.interaction_slots = 0;
  const Encoder exact(schema);
  Stream stream(5, Purpose::environment);
  double error = 0;
  for (int pair = 0; pair < 200; ++pair) {
    const FieldTable table = visit(stream, 2, 500);
    const auto s = encoded(sketched, table), e = encoded(exact, table);
    const auto dot = [](const std::vector<double>& v) {
      return std::inner_product(v.begin(), v.begin() + v.size() / 2, v.begin() + v.size() / 2, 0.0);
    };
    error += dot(s) - dot(e);
  }
  EXPECT_NEAR(error / 200, 0, 0.1);
}

TEST(Encoder, IdsNeverSeenBeforeDiffer) {
  const Encoder encoder(learned_schema());
  std::set<std::vector<double>> rows;
  for (int i = 0; i < 20; ++i)
    rows.insert(encoded(encoder, objects({Field::of("hour", 3)}, {{Field::of("id", "new" + std::to_string(i)),
                                                                   Field::of("price", 9)}})));
  EXPECT_GE(rows.size(), 18u);  // two of eight slots and two signs each: a few may coincide
}

TEST(Encoder, ListsHaveLengthOneAndNoOrder) {
  Schema schema;
  schema.context = {{.name = "tags", .kind = FeatureKind::list, .learned = false, .values = {"a", "b", "c"}}};
  schema.action = {{.name = "id", .kind = FeatureKind::id, .learned = false, .hashed = 4}};
  const Encoder encoder(schema);
  const auto there = encoded(
      encoder, objects({Field::of("tags", "a"), Field::of("tags", "c")}, {{Field::of("id", "x")}}));
  const auto back = encoded(
      encoder, objects({Field::of("tags", "c"), Field::of("tags", "a")}, {{Field::of("id", "x")}}));
  EXPECT_EQ(there, back);
  EXPECT_DOUBLE_EQ(at(encoder, there, "tags=a"), 0.5 / std::sqrt(2.0));
  EXPECT_EQ(at(encoder, there, "tags=b"), 0);
}

TEST(Encoder, ALearnedCategoryWasPerhapsAListOfOne) {
  SchemaLearner learner;
  for (const char* tag : {"a", "b", "c"}) learner.see(objects({Field::of("tags", tag)}, {{Field::of("id", "x")}}));
  Schema learned = learner.schema();
  ASSERT_EQ(learned.context[0].kind, FeatureKind::category);
  Schema list = learned;
  list.context[0].kind = FeatureKind::list;
  const FieldTable two = objects({Field::of("tags", "a"), Field::of("tags", "c")}, {{Field::of("id", "x")}});
  EXPECT_EQ(encoded(Encoder(learned), two), encoded(Encoder(list), two));
  learned.strict = true;
  EXPECT_THROW(encoded(Encoder(learned), two), ContractError);
}

TEST(Encoder, TheOrderOfFieldsDoesNotMatter) {
  const Encoder encoder(learned_schema());
  const auto there = encoded(encoder, objects({Field::of("country", "DE"), Field::of("hour", 3)},
                                              {{Field::of("id", "q"), Field::of("price", 9)}}));
  const auto back = encoded(encoder, objects({Field::of("hour", 3), Field::of("country", "DE")},
                                             {{Field::of("price", 9), Field::of("id", "q")}}));
  EXPECT_EQ(there, back);
}

TEST(Encoder, SaveLoadEncodeIsBitEqual) {
  for (const std::size_t ids : {5u, 500u}) {
    const Schema schema = learned_schema(300, {}, ids);
    const Encoder before(schema), after(Schema::from_json(schema.to_json()));
    Stream stream(9, Purpose::environment);
    for (int i = 0; i < 100; ++i) {
      const FieldTable table = visit(stream, 4, 2 * ids);
      EXPECT_EQ(encoded(before, table), encoded(after, table));
    }
  }
}

TEST(Encoder, AContextAloneForArmsInBlocks) {
  const Encoder encoder(small_schema());
  std::vector<double> x(encoder.schema().context_length());
  const FieldTable table = objects({Field::of("country", "FR"), Field::of("hour", 16)}, {});
  encoder.encode_context(table.row(0), x);
  EXPECT_NEAR(std::inner_product(x.begin(), x.end(), x.begin(), 0.0), 1, 1e-12);
  EXPECT_DOUBLE_EQ(x[0], std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(x[2], 0.5);
}

TEST(Encoder, FieldsTheSchemaDoesNotKnowAreCountedOrRefused) {
  Schema schema = small_schema();
  const FieldTable table = objects({Field::of("planet", "Mars")},
                                   {{Field::of("id", "a"), Field::of("mass", 3)}, {Field::of("mass", 4)}});
  const Encoder lenient(schema);
  std::vector<double> out(2 * lenient.length());
  EXPECT_EQ(lenient.encode(table, out), 3u);
  schema.strict = true;
  EXPECT_THROW(Encoder(schema).encode(table, out), ContractError);
}

TEST(Encoder, WhatItCannotEncodeIsRefusedByName) {
  Schema schema = small_schema();
  schema.strict = true;
  const Encoder encoder(schema);
  struct Case {
    FieldTable table;
    const char* text;
  };
  const Case cases[] = {
      {objects({Field::of("hour", "noon")}, {{}}),
       "the context's field 'hour': a number is needed, found the text 'noon'"},
      {objects({Field::of("hour", NAN)}, {{}}), "'hour': the number is not finite"},
      {objects({Field::of("planet", 1)}, {{}}), "'planet': the schema has no such field"},
      {objects({Field::of("country", "DE"), Field::of("country", "FR")}, {{}}),
       "'country': it is given twice"},
      {objects({}, {{Field::of("new", 3)}}),
       "the action's field 'new': a truth value is needed, found the number 3"},
      {objects({}, {{Field::of("id", INFINITY)}}), "'id': the number is not finite"},
      {objects({}, {}), "no action is offered"},
  };
  for (const auto& [table, text] : cases) {
    try {
      encoded(encoder, table);
      ADD_FAILURE() << text;
    } catch (const ContractError& error) {
      EXPECT_THAT(error.what(), HasSubstr(text));
    }
  }
  schema.context.push_back(schema.context[0]);
  EXPECT_THROW(Encoder{schema}, ContractError);
}

}  // namespace
}  // namespace neuralts
