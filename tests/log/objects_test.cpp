#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "neuralts/error.hpp"
#include "neuralts/fields.hpp"

namespace neuralts {
namespace {

TEST(ParseObjects, NestedValuesBecomeFields) {
  const FieldTable table = parse_objects(
      R"({"context": {"user": {"age": 31}, "tags": ["new", "red"], "size": [3, 4], "member": true, "city": null}, "actions": ["a", {"id": "b", "p": -1.5}]})");
  ASSERT_EQ(table.rows(), 3u);
  FieldTable expected;
  expected.start_row();
  for (const Field& field : {Field::of("user.age", 31), Field::of("tags", "new"), Field::of("tags", "red"),
                             Field::of("size[0]", 3), Field::of("size[1]", 4),
                             Field::truth_of("member", true), Field::missing_of("city")})
    expected.add(field);
  expected.start_row();
  expected.add(Field::of("id", "a"));
  expected.start_row();
  expected.add(Field::of("id", "b"));
  expected.add(Field::of("p", -1.5));
  EXPECT_EQ(table, expected);
}

TEST(ParseObjects, RefusesWhatIsNone) {
  std::string deep = R"({"context": {"a": 1}, "actions": [)" + std::string(50, '[') + std::string(50, ']') + "]}";
  for (const std::string& text :
       {std::string("{"), std::string("[]"), std::string(R"({"context": 3})"),
        std::string(R"({"actions": {}})"), std::string(R"({"contexts": {}})"), deep})
    EXPECT_THROW((void)parse_objects(text), Error) << text;
}

}  // namespace
}  // namespace neuralts
