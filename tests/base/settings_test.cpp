#include "neuralts/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_text.hpp"
#include "neuralts/error.hpp"
#include "neuralts/keys.hpp"

namespace neuralts {
namespace {

using testing::HasSubstr;

const std::vector<ParamInfo> table = {
    {"nu", "0.1", ">= 0", "exploration"},
    {"width", "100", "1 .. 10000", "units of a hidden layer"},
    {"posterior", "auto", "auto | exact | diagonal", "what is kept"},
    {"doubling", "false", "true | false", "restart"},
};

TEST(Params, TextBothWays) {
  EXPECT_EQ(parse_params(""), Params{});
  EXPECT_EQ(parse_params("nu=0.1, width = 20"), (Params{{"nu", "0.1"}, {"width", "20"}}));
  EXPECT_EQ(parse_params("path=a=b"), (Params{{"path", "a=b"}}));
  EXPECT_EQ(to_string(Params{{"b", "2"}, {"a", "1"}}), "a=1,b=2");
  EXPECT_EQ(parse_params(to_string(Params{{"b", "2"}, {"a", "1"}})), (Params{{"a", "1"}, {"b", "2"}}));
}

TEST(Params, TextThatIsNoneIsRefusedByName) {
  for (const char* text : {"nu", "nu=1,width", "=1", ","}) {
    const std::string message = error_text<Error>([&] { parse_params(text); });
    EXPECT_THAT(message, HasSubstr("is not KEY=VALUE")) << text;
  }
}

TEST(Params, AKeyGivenTwiceIsRefusedByName) {
  EXPECT_THAT(error_text<Error>([] { parse_params("nu=1,units=2, nu = 1"); }),
              HasSubstr("parameter 'nu' is given twice"));
}

TEST(Params, KeysAsLanguagesWithoutDashesWriteThem) {
  const std::vector<ParamInfo> keys = {
      {"stop-after", "0", ">= 0", "x"}, {"at_cap", "0", ">= 0", "x"}, {"lambda", "1", "> 0", "x"}};
  EXPECT_EQ(known_key("stop_after", keys), "stop-after");
  EXPECT_EQ(known_key("at_cap", keys), "at_cap");
  EXPECT_EQ(known_key("at-cap", keys), "at_cap");
  EXPECT_EQ(known_key("lambda_", keys), "lambda");
  EXPECT_EQ(known_key("lamda", keys), "lamda");
  EXPECT_EQ(resolve("x", keys, {}, {{"stop_after", "3"}, {"lambda_", "2"}}).number("stop-after"), 3);
  EXPECT_THAT(error_text<Error>([&] {
                resolve("x", keys, {}, {{"lambda", "1"}, {"lambda_", "2"}});
              }),
              HasSubstr("given twice"));
  EXPECT_THAT(error_text<Error>([&] {
                resolve("x", keys, {}, {{"stop_aftr", "3"}});
              }),
              HasSubstr("did you mean 'stop-after'?"));
}

TEST(Resolve, GivenWinsOverPresetWinsOverDefault) {
  const Settings settings = resolve("policy x", table, {{"nu", "0.5"}, {"width", "50"}}, {{"nu", "0.7"}});
  EXPECT_EQ(settings.number("nu"), 0.7);
  EXPECT_EQ(settings.count("width"), 50u);
  EXPECT_EQ(settings.text("posterior"), "auto");
  EXPECT_EQ(settings.values().size(), table.size());
}

TEST(Resolve, UnknownKeysNameTheNearestAndThePlace) {
  const std::string message = error_text<Error>([] { resolve("policy x", table, {}, {{"witdh", "3"}}); });
  EXPECT_EQ(message, "policy x: unknown parameter 'witdh': did you mean 'width'?");
  EXPECT_THAT(error_text<Error>([] { resolve("policy x", table, {{"witdh", "3"}}, {}); }), HasSubstr("'width'"));
}

TEST(Resolve, ValuesOutOfRangeNameKeyValueAndRange) {
  struct Case {
    Params given;
    const char* message;
  };
  const Case cases[] = {
      {{{"nu", "-1"}}, "policy x: parameter nu=-1 is not valid: allowed: >= 0"},
      {{{"nu", "nan"}}, "policy x: parameter nu=nan is not valid: allowed: >= 0"},
      {{{"nu", "inf"}}, "policy x: parameter nu=inf is not valid: allowed: >= 0"},
      {{{"width", "0"}}, "policy x: parameter width=0 is not valid: allowed: 1 .. 10000"},
      {{{"width", ""}}, "policy x: parameter width= is not valid: allowed: 1 .. 10000"},
      {{{"posterior", "full"}},
       "policy x: parameter posterior=full is not valid: allowed: auto | exact | diagonal"},
      {{{"doubling", "yes"}}, "policy x: parameter doubling=yes is not valid: allowed: true | false"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(error_text<Error>([&] { resolve("policy x", table, {}, c.given); }), c.message);
  EXPECT_THAT(error_text<Error>([&] { resolve("policy x", table, {{"nu", "-1"}}, {}); }), HasSubstr("nu=-1"));
}

TEST(Settings, ACountIsWhole) {
  const Settings settings = resolve("policy x", table, {}, {{"width", "2.5"}, {"nu", "1e300"}});
  EXPECT_EQ(error_text<Error>([&] { settings.count("width"); }),
            "policy x: parameter width=2.5 is not valid: allowed: 1 .. 10000");
  EXPECT_THAT(error_text<Error>([&] { settings.count("nu"); }), HasSubstr("nu=1e300"));
}

TEST(Settings, AWordThatTheRangeDoesNotOfferIsABug) {
  const Settings settings = resolve("policy x", table, {}, {});
  EXPECT_THAT(error_text<ContractError>([&] { settings.is("posterior", "exat"); }), HasSubstr("no word 'exat'"));
  EXPECT_THAT(error_text<ContractError>([&] { settings.flag("posterior"); }), HasSubstr("no word 'true'"));
}

TEST(Settings, ReadsByType) {
  const Settings settings = resolve("policy x", table, {}, {{"doubling", "true"}, {"posterior", "exact"}});
  EXPECT_TRUE(settings.flag("doubling"));
  EXPECT_EQ(settings.choice("posterior"), 1u);
  EXPECT_TRUE(settings.is("posterior", "exact"));
  EXPECT_EQ(settings.number("nu"), 0.1);
  EXPECT_THAT(error_text<ContractError>([&] { settings.text("nothing"); }), HasSubstr("'nothing'"));
}

}  // namespace
}  // namespace neuralts
