// Logs that lie: what is not a probability, a reward or a context is refused, whatever format says it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_text.hpp"
#include "neuralts/error.hpp"
#include "neuralts/log.hpp"

namespace neuralts {
namespace {

using testing::HasSubstr;

std::string refusal(const std::string& text) {
  return error_text<Error>([&] {
    LogReader reader(std::string_view(text), "input");
    for (Event event; reader.next(event);) {
    }
  });
}

std::string own(const std::string& probabilities, const std::string& reward = "1",
                const std::string& number = "0.6") {
  return R"({"neuralts_log":1,"block":2,"blocks":1})" "\n"
         R"({"round":1,"contexts":[[)" + number + R"(,0.8],[1,0]],"arm":0,"reward":)" + reward + R"(,"probabilities":)" + probabilities + "}\n";
}

TEST(HostileLog, ProbabilitiesThatAreNone) {
  EXPECT_THAT(refusal(own("[-0.5,1.5]")), HasSubstr("not from 0 to 1"));
  EXPECT_THAT(refusal(own("[0.5,0.4]")), HasSubstr("not to 1"));
  EXPECT_THAT(refusal(own("[0,1]")), HasSubstr("is 0"));
  EXPECT_THAT(refusal(own("[0.5]")), HasSubstr("probabilities"));
  EXPECT_NE(refusal("0:1:-0.5 | a\n| b\n\n"), "");
  EXPECT_NE(refusal("0:1:1.5 | a\n| b\n\n"), "");
}

TEST(HostileLog, NumbersThatAreNone) {
  for (const char* number : {"nan", "1e999", "\"x\"", "null", "[]"}) {
    EXPECT_NE(refusal(own("[0.5,0.5]", "1", number)), "") << number;
    if (std::string_view(number) == "null") continue;  // a reward that has not come
    EXPECT_NE(refusal(own("[0.5,0.5]", number)), "") << number;
  }
}

}  // namespace
}  // namespace neuralts
