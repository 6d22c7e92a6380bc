// Fetching, against a local server that answers like OpenML: well, slowly, in parts, wrongly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "data/md5.hpp"
#include "data/http_server.hpp"
#include "base/temp_folder.hpp"
#include "neuralts/data.hpp"
#include "neuralts/environment.hpp"

namespace neuralts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string arff = "@relation tiny\n@attribute a numeric\n@attribute class {p, e}\n@data\n" + [] {
  std::string rows;
  for (int i = 0; i < 5000; ++i) rows += std::to_string(i) + (i % 2 == 0 ? ",p\n" : ",e\n");
  return rows;
}();

std::string md5(const std::string& text) {
  Md5 sum;
  sum.update(text);
  return sum.finish();
}

std::string description(const std::string& url, const std::string& checksum, const std::string& format = "ARFF") {
  return R"({"data_set_description": {"id": "24", "name": "tiny", "format": ")" + format + R"(", "url": ")" + url +
         R"(", "md5_checksum": ")" + checksum + R"(", "default_target_attribute": "class"}})";
}

class Fetch : public testing::Test {
 protected:
  void SetUp() override { ::setenv("no_proxy", "127.0.0.1", 1); }

  // A service whose description is right and whose file is answered by `answer`.
  void serve(std::function<HttpReply(const HttpRequest&)> answer, const std::string& checksum = md5(arff)) {
    server_ = std::make_unique<HttpServer>([this, answer, checksum](const HttpRequest& request) {
      return request.path == "/api/v1/json/data/24"
                 ? http_ok(description(server_->url() + "/file.arff", checksum))
                 : answer(request);
    });
  }
  // A service whose description is `reply`.
  void serve_description(const HttpReply& reply) {
    server_ = std::make_unique<HttpServer>([reply](const HttpRequest&) { return reply; });
  }
  Fetched fetch(const std::string& name = "mushroom") {
    return fetch_data(name, {.from = server_->url(), .folder = folder_.path(), .stall_seconds = 1});
  }
  // The message of the error that fetching ends with; its code must be `code`.
  std::string failure(ErrorCode code, const std::string& name = "mushroom") {
    try {
      fetch(name);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "was fetched";
    return "";
  }

  TempFolder folder_;
  std::unique_ptr<HttpServer> server_;
};

TEST(Md5Sum, EqualsTheRfcsExamples) {
  EXPECT_EQ(md5(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(md5("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

TEST_F(Fetch, AWholeFileAppearsUnderItsNameAndIsAWorld) {
  serve([](const HttpRequest&) { return http_ok(arff); });
  const auto fetched = fetch();
  EXPECT_EQ(fetched.path, folder_.file("mushroom.arff"));
  EXPECT_EQ(fetched.label, "class");
  EXPECT_FALSE(fetched.cached);
  EXPECT_EQ(folder_.read("mushroom.arff"), arff);
  EXPECT_THAT(folder_.names(), ElementsAre("mushroom.arff"));
  EXPECT_EQ(make_environment("mushroom", folder_.path())->info().max_rounds, 5000u);
}

TEST_F(Fetch, ASecondCallFindsItInTheCache) {
  serve([](const HttpRequest&) { return http_ok(arff); });
  fetch();
  const int before = server_->requests();
  EXPECT_TRUE(fetch().cached);
  EXPECT_EQ(server_->requests(), before + 1) << "only the description is asked for again";
}

TEST_F(Fetch, AnyDataSetByItsNumber) {
  serve([](const HttpRequest&) { return http_ok(arff); });
  EXPECT_EQ(fetch("openml:24").path, folder_.file("openml-24.arff"));
}

TEST_F(Fetch, ABrokenTransferIsContinuedWhereItStopped) {
  std::vector<std::size_t> asked;
  serve([&](const HttpRequest& request) {
    asked.push_back(request.from);
    HttpReply reply = request.from == 0 ? http_ok(arff) : http_part(arff, request.from);
    if (asked.size() < 3) reply.cut = 10'000;
    return reply;
  });
  fetch();
  EXPECT_EQ(folder_.read("mushroom.arff"), arff);
  EXPECT_THAT(asked, ElementsAre(0u, 10'000u, 20'000u));
}

TEST_F(Fetch, AServerThatKnowsNoPartsIsAskedFromTheStart) {
  int files = 0;
  serve([&](const HttpRequest&) {
    HttpReply reply = http_ok(arff);
    if (++files == 1) reply.cut = 10'000;
    return reply;
  });
  fetch();
  EXPECT_EQ(folder_.read("mushroom.arff"), arff);
}

TEST_F(Fetch, ATransferThatStaysBrokenLeavesNoFileAndGoesOnNextTime) {
  bool broken = true;
  std::vector<std::size_t> asked;
  serve([&](const HttpRequest& request) {
    asked.push_back(request.from);
    HttpReply reply = request.from == 0 ? http_ok(arff) : http_part(arff, request.from);
    if (broken) reply.cut = 1000;
    return reply;
  });
  EXPECT_THAT(failure(ErrorCode::io), HasSubstr("run it again to go on from there"));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("mushroom.arff")));
  broken = false;
  fetch();
  EXPECT_EQ(folder_.read("mushroom.arff"), arff);
  EXPECT_THAT(asked, ElementsAre(0u, 1000u, 2000u, 3000u));
  EXPECT_THAT(folder_.names(), ElementsAre("mushroom.arff"));
}

TEST_F(Fetch, ASlowServerIsWaitedForAndASilentOneIsGivenUp) {
  serve([](const HttpRequest&) {
    HttpReply reply = http_ok(arff);
    reply.pause = 0.3;
    return reply;
  });
  fetch();
  EXPECT_EQ(folder_.read("mushroom.arff"), arff);
  HttpReply silent = http_ok("x");
  silent.pause = 4;
  serve_description(silent);
  EXPECT_THAT(failure(ErrorCode::io), HasSubstr("too slow"));
}

TEST_F(Fetch, AWrongChecksumLeavesNothing) {
  serve([](const HttpRequest&) { return http_ok(arff); }, std::string(32, '0'));
  EXPECT_THAT(failure(ErrorCode::corrupt), HasSubstr("the service promised 00000000000000000000000000000000"));
  EXPECT_THAT(folder_.names(), IsEmpty());
}

TEST_F(Fetch, ARefusedFileLeavesNothing) {
  serve([](const HttpRequest&) { return http_status("404 Not Found"); });
  EXPECT_THAT(failure(ErrorCode::not_found), HasSubstr("the server answered 404"));
  EXPECT_THAT(folder_.names(), IsEmpty());
  serve([](const HttpRequest&) { return http_status("500 Internal Server Error"); });
  EXPECT_THAT(failure(ErrorCode::io), HasSubstr("the server answered 500"));
  EXPECT_THAT(folder_.names(), IsEmpty());
}

TEST_F(Fetch, WrongDescriptionsAreRefused) {
  const std::pair<HttpReply, const char*> table[] = {
      {http_ok("<html>hello</html>"), "not a data set's description"},
      {http_ok("[]"), "not a data set's description"},
      {http_ok(R"({"data_set_description": 7})"), "not a data set's description"},
      {http_ok(R"({"data_set_description": {"format": "ARFF"}})"), "lacks the file's address"},
      {http_ok(description("http://127.0.0.1:1/f", "short")), "MD5 checksum"},
      {http_ok(R"({"data_set_description": {"format": "arff", "url": 5, "md5_checksum": []}})"),
       "lacks the file's address"},
  };
  for (const auto& [reply, message] : table) {
    serve_description(reply);
    EXPECT_THAT(failure(ErrorCode::bad_input), HasSubstr(message));
  }
  serve_description(http_ok(description("http://127.0.0.1:1/f", std::string(32, 'a'), "Parquet")));
  EXPECT_THAT(failure(ErrorCode::unsupported), HasSubstr("format is Parquet"));
  serve_description(http_status("412 Precondition Failed"));
  EXPECT_THAT(failure(ErrorCode::not_found), HasSubstr("answered 412"));
  serve_description(http_ok(description("file:///etc/hostname", std::string(32, 'a'))));
  EXPECT_THAT(failure(ErrorCode::io), HasSubstr("Protocol"));
  EXPECT_THAT(folder_.names(), IsEmpty());
}

TEST_F(Fetch, UnknownNamesAreRefusedBeforeAnythingIsAsked) {
  serve([](const HttpRequest&) { return http_ok(arff); });
  for (const char* name : {"mushrom", "openml:", "openml:x", "openml:-1", "openml:1/../2", ""})
    failure(ErrorCode::bad_spec, name);
  EXPECT_EQ(server_->requests(), 0);
}

TEST_F(Fetch, NobodyThere) {
  serve([](const HttpRequest&) { return http_ok(arff); });
  const std::string url = server_->url();
  server_.reset();
  EXPECT_THROW(fetch_data("adult", {.from = url, .folder = folder_.path(), .stall_seconds = 1}), Error);
  EXPECT_THAT(folder_.names(), IsEmpty());
}

}  // namespace
}  // namespace neuralts
