// The service's door without the service: every request is answered at once with a ranking of the usual size.
// What a call costs here is what HTTP costs on this machine; gate_load.py measures the service beside it.
#include <csignal>
#include <cstdio>

#include "serve/http.hpp"

int main() {
  using namespace neuralts::serve;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::string ranking;
  for (int k = 0; k < 10; ++k)
    ranking += std::string(k > 0 ? "," : "") + R"({"id":"action-)" + std::to_string(k) +
               R"(","probability":0.10203040})";
  const std::string body =
      R"({"event_id":"0000000000000000000000000a","action":"action-1","probability":0.1,"ranking":[)" +
      ranking + R"(],"model":1,"acknowledged":"nothing"})";
  HttpServer server({.port = 0, .threads = 1}, [&](const Request&, std::size_t, const Reply& reply) { reply({200, "application/json", body, {}}); }, {});
  server.start();
  std::printf("http://127.0.0.1:%d\n", server.port());
  std::fflush(stdout);
  int number = 0;
  sigwait(&set, &number);
  server.stop();
}
