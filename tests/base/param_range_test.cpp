#include "neuralts/param_range.hpp"

#include <gtest/gtest.h>

#include "base/error_text.hpp"
#include "neuralts/error.hpp"

namespace neuralts {
namespace {

TEST(ParamRange, HoldsWhatItsTextSays) {
  struct Case {
    const char* range;
    std::vector<const char*> inside, outside;
  };
  const Case cases[] = {
      {"> 0", {"1", "1e-300", "+2"}, {"0", "-1", "inf", "nan", "1e-310", "1e400", "", "1x", "auto"}},
      {">= 0", {"0", "-0", "1e300"}, {"-1e-300", "-inf"}},
      {"0 .. 1", {"0", "1", "0.5"}, {"-0.1", "1.0001"}},
      {"-2 .. 1e6", {"-2", "1000000"}, {"-2.1", "1000001"}},
      {"> 0 and < 1", {"1e-9", "0.999"}, {"0", "1"}},
      {"a number", {"-1e300", "0"}, {"nan", "one"}},
      {"auto | > 0", {"auto", "3"}, {"0", "automatic", ""}},
      {"true | false", {"true", "false"}, {"True", "1", ""}},
      {"2 .. 100000, even with initialisation=paired", {"3"}, {"1"}},
      {"every:B | never", {"every:1", "never"}, {"every", "never:1", "often"}},
      {"a path", {"", "x y", "-1"}, {}},
  };
  for (const auto& c : cases) {
    const ParamRange range(c.range);
    for (const auto* value : c.inside) EXPECT_TRUE(range.holds(value)) << c.range << ": " << value;
    for (const auto* value : c.outside) EXPECT_FALSE(range.holds(value)) << c.range << ": " << value;
  }
}

TEST(ParamRange, NumbersAndWordsAreToldApart) {
  const ParamRange range("units-lambda | lambda | >= 0");
  EXPECT_EQ(range.number("2.5"), 2.5);
  EXPECT_EQ(range.number("lambda"), std::nullopt);
  EXPECT_EQ(range.number("-1"), std::nullopt);
  EXPECT_EQ(range.word("lambda"), 1u);
  EXPECT_EQ(range.word("2.5"), std::nullopt);
}

TEST(ParamRange, ATextThatIsNoRangeIsABug) {
  for (const char* text : {"", "some number", "> x", "1 .. ", "A | b", "=> 0"})
    EXPECT_NE(error_text<ContractError>([&] { ParamRange range(text); }).find("is not understood"),
              std::string::npos)
        << text;
}

}  // namespace
}  // namespace neuralts
