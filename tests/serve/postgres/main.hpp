// One server for all tests of this program; each test has a schema of its own.
#pragma once

#include "server.hpp"

namespace neuralts::serve {

PostgresServer& test_server();

}  // namespace neuralts::serve
