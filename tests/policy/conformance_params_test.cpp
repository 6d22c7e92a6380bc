// What every policy promises of its parameters: all documented, all checked, the nearest name offered for a
// wrong one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "policy/candidates.hpp"

namespace neuralts {
namespace {

using testing::HasSubstr;

std::string refusal(const PolicySpec& spec) {
  try {
    make_policy(spec);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_spec);
    return error.what();
  }
  return "accepted";
}

class Parameters : public testing::TestWithParam<PolicyInfo> {
 protected:
  const PolicyInfo& info_ = GetParam();
  PolicySpec spec(const Params& params = {}, const std::string& preset = "") const {
    return {info_.name, preset, params, {.length = 3}, 1};
  }
};

TEST_P(Parameters, AreDocumented) {
  EXPECT_FALSE(info_.summary.empty());
  EXPECT_TRUE(info_.name == "random" || !info_.reference.empty());
  for (const auto& param : info_.params) {
    EXPECT_FALSE(param.key.empty());
    EXPECT_FALSE(param.default_value.empty()) << param.key;
    EXPECT_FALSE(param.range.empty()) << param.key;
    EXPECT_GE(param.doc.size(), 20u) << param.key;
  }
}

TEST_P(Parameters, ThePublishedPresetsAreKnownToAll) {
  for (const auto* preset : {"paper", "released", "tuned"}) EXPECT_TRUE(info_.presets.contains(preset)) << preset;
  EXPECT_TRUE(info_.presets.contains(info_.default_preset));
}

TEST_P(Parameters, ResolvedListsEveryKeyInForce) {
  for (const auto& [preset, changes] : info_.presets) {
    const auto policy = make_policy(spec({}, preset));
    ASSERT_EQ(policy->resolved().size(), info_.params.size());
    for (const auto& param : info_.params) {
      const auto changed = changes.find(param.key);
      EXPECT_EQ(policy->resolved().at(param.key),
                changed == changes.end() ? param.default_value : changed->second)
          << preset << ' ' << param.key;
    }
    EXPECT_EQ(policy->spec().preset, preset);
  }
}

/// Values a parameter could take: the words of its range, and some numbers.
std::vector<std::string> likely_values(const ParamInfo& param) {
  std::vector<std::string> values{"0.5", "1", "2", "3", "7", "0", "0.25", "100"};
  std::stringstream words(param.range);
  for (std::string word; std::getline(words, word, '|');) {
    word.erase(0, word.find_first_not_of(' '));
    word.erase(word.find_last_not_of(' ') + 1);
    values.push_back(word);
  }
  return values;
}

TEST_P(Parameters, AGivenValueWinsOverThePreset) {
  for (const auto& param : info_.params)
    for (const auto& [preset, changes] : info_.presets) {
      Params expected = make_policy(spec({}, preset))->resolved();
      bool tried = false;
      for (const auto& value : likely_values(param)) {
        if (value == expected.at(param.key) || refusal(spec({{param.key, value}}, preset)) != "accepted") continue;
        expected[param.key] = value;
        EXPECT_EQ(make_policy(spec({{param.key, value}}, preset))->resolved(), expected)
            << preset << ": " << param.key << "=" << value;
        tried = true;
        break;
      }
      EXPECT_TRUE(tried) << "no other value of " << param.key << " (" << param.range
                         << ") is taken by preset " << preset;
    }
}

TEST_P(Parameters, WrongNamesAreRefusedWithTheNearest) {
  for (const auto& param : info_.params) {
    const std::string message = refusal(spec({{param.key + "x", param.default_value}}));
    EXPECT_THAT(message, HasSubstr("'" + param.key + "x'"));
    EXPECT_THAT(message, HasSubstr("did you mean '" + param.key + "'"));
  }
  EXPECT_THAT(refusal(spec({}, "papers")), HasSubstr("did you mean 'paper'"));
  PolicySpec misspelt = spec();
  misspelt.name += "x";
  EXPECT_THAT(refusal(misspelt), HasSubstr("did you mean '" + info_.name + "'"));
}

TEST_P(Parameters, ValuesOutOfRangeAreRefusedWithKeyAndRange) {
  for (const auto& param : info_.params)
    for (const auto* value : {"nonsense", "-1", "nan", "inf", "1e400", "", "1x"}) {
      const std::string message = refusal(spec({{param.key, value}}));
      EXPECT_THAT(message, HasSubstr(param.key + "=" + value));
      EXPECT_THAT(message, HasSubstr(param.range)) << param.key << '=' << value;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Parameters, testing::ValuesIn(policy_catalog()), [](const auto& test) {
  std::string name = test.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace neuralts
