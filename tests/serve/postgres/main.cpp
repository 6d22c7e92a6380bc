#include "main.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

namespace neuralts::serve {

namespace {

std::unique_ptr<PostgresServer> server;

}  // namespace

PostgresServer& test_server() {
  if (!server) server = std::make_unique<PostgresServer>();
  return *server;
}

}  // namespace neuralts::serve

int main(int count, char** words) {
  testing::InitGoogleTest(&count, words);
  if (!neuralts::serve::PostgresServer::programs()) {
    std::puts("skipped: PostgreSQL's server is not installed");
    return 77;
  }
  const int status = RUN_ALL_TESTS();
  neuralts::serve::server.reset();
  return status;
}
