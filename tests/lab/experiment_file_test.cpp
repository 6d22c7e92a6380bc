#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/temp_folder.hpp"
#include "neuralts/lab.hpp"

namespace neuralts {
namespace {

using testing::HasSubstr;

class ExperimentFile : public testing::Test {
 protected:
  Experiment read(const std::string& name, const std::string& text) {
    std::ofstream(place_.file(name)) << text;
    return read_experiment(place_.file(name));
  }
  std::string refusal(const std::string& name, const std::string& text) {
    try {
      read(name, text);
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was refused";
  }
  TempFolder place_;
};

constexpr const char* toml = R"(
env = ["quadratic", "wheel:delta=0.95,noise=0.1"]
seeds = "1..3"
rounds = 100

[[grid]]
policy = "linear-ucb,linear-ts"
set = { nu = [1, 0.1], lambda = 1.0 }

[[grid]]
policy = ["random"]
delay = [0, "10,lost=0.5"]
)";
constexpr const char* json =
    R"({"env": ["quadratic", "wheel:delta=0.95,noise=0.1"], "seeds": [1, 2, 3], "rounds": 100, "grid": [
  {"policy": ["linear-ucb", "linear-ts"], "set": {"nu": [1, 0.1], "lambda": "1"}}, {"policy": "random", "delay": "0,10,lost=0.5"}]})";

std::vector<std::string> keys(const Experiment& experiment) {
  std::vector<std::string> all;
  for (const auto& run : expand(experiment)) all.push_back(run_key(run));
  return all;
}

TEST_F(ExperimentFile, TomlAndJsonSayTheSame) {
  const auto from_toml = read("a.toml", toml), from_json = read("a.json", json);
  EXPECT_EQ(keys(from_toml).size(), 2U * 3U * (2U * 2U + 2U));
  EXPECT_EQ(keys(from_toml), keys(from_json));
}

TEST_F(ExperimentFile, WithoutGridsTheFileIsOne) {
  const auto experiment = read("a.toml", "env = 'quadratic'\npolicy = 'random'\n");
  ASSERT_EQ(experiment.grids.size(), 1U);
  EXPECT_EQ(keys(experiment).size(), 1U);
}

TEST_F(ExperimentFile, TextsAndCommentsMayHoldAnyCharacter) {
  const auto experiment = read(
      "a.toml", "env = ['caf\xC3\xA9', \"\\u00e9~\", '~41\xEF\xBB\xAF']  # \xC3\xA9\npolicy = 'random'\n");
  EXPECT_THAT(experiment.grids.at(0).envs, testing::ElementsAre("caf\xC3\xA9", "\xC3\xA9~", "~41\xEF\xBB\xAF"));
}

TEST_F(ExperimentFile, WhatRunsNothingIsRefusedByFileGridAndKey) {
  const auto refused = [&](const std::string& name, const std::string& text) -> std::string {
    try {
      expand(read(name, text));
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was refused";
  };
  EXPECT_THAT(refused("a.toml", "seeds = 3"), HasSubstr("a.toml: env: the list of environments is empty"));
  EXPECT_THAT(refused("a.toml", "env = 'quadratic'"), HasSubstr("a.toml: policy: the list of policies is empty"));
  EXPECT_THAT(refused("a.toml", "env = 'quadratic'\n[[grid]]\npolicy = 'random'\n[[grid]]\nseeds = 2\n"),
              HasSubstr("a.toml, grid 2: policy: the list of policies is empty"));
  EXPECT_THAT(refused("a.json", R"({"env": "quadratic", "policy": "random", "grid": []})"),
              HasSubstr("a.json: grid: the list is empty"));
  EXPECT_THAT(refused("a.toml", "env = 'quadratic'\n[grid]\npolicy = 'random'\n"),
              testing::AllOf(HasSubstr("a.toml: grid: a list of tables is needed"), HasSubstr("write [[grid]]")));
  EXPECT_THAT(refused("a.toml", "env = 'quadratic'\npolicy = 'random'\nset = { nu = 1 }\n"),
              HasSubstr("a.toml: unknown parameter 'nu'"));
}

TEST_F(ExperimentFile, RefusalsSayWhereAndWhatToDo) {
  EXPECT_THAT(refusal("a.toml", "env = 'x'\nenv = 'y'\n"), HasSubstr("a.toml:2"));
  EXPECT_THAT(refusal("a.json", "{"), HasSubstr("a.json"));
  EXPECT_THAT(refusal("a.json", R"({"env": "x", "rounds": 1, "rounds": 2})"), HasSubstr("a.json: the key 'rounds' stands twice"));
  const std::string deep = "{\"env\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}";
  EXPECT_THAT(refusal("a.json", deep), HasSubstr("too deep"));
  std::string parts;
  for (int i = 0; i < 200'000; ++i) parts += "a.";
  EXPECT_THAT(refusal("a.toml", "env = 'x'\n" + parts + "a = 1\n"), HasSubstr("a.toml:2: more than 1000 dots"));
  EXPECT_THAT(refusal("a.toml", "[" + parts + "a]\n"), HasSubstr("a.toml:1: more than 1000 dots"));
  EXPECT_THAT(refusal("a.toml", "polcy = 'random'"), HasSubstr("did you mean 'policy'?"));
  EXPECT_THAT(refusal("a.toml", "rounds = -1"), HasSubstr("rounds"));
  EXPECT_THAT(refusal("a.toml", "env = [{a = 1}]"), HasSubstr("env"));
  EXPECT_THAT(refusal("a.toml", "set = 3"), HasSubstr("set"));
  EXPECT_THAT(refusal("a.toml", "env = 'x'\npol\xEF\xBB\xAFicy = 'y'\n"), HasSubstr("a.toml:2"));
  EXPECT_THAT(refusal("a.toml", "env = '\xC3'\n"), HasSubstr("UTF-8"));
  EXPECT_THAT(refusal("a.yaml", "env: x"), HasSubstr(".toml or .json"));
  EXPECT_THROW(read_experiment(place_.file("missing.toml")), Error);
}

}  // namespace
}  // namespace neuralts
