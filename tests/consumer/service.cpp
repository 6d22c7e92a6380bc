// A program with a decision service inside: it starts, decides and stops.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "neuralts/evaluate.hpp"
#include "neuralts/serve.hpp"

std::string asked(int port, const std::string& request) {
  const int connection = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  char bytes[4096];
  if (::connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      ::send(connection, request.data(), request.size(), 0) == static_cast<ssize_t>(request.size()))
    for (ssize_t count; (count = ::recv(connection, bytes, sizeof bytes, 0)) > 0;)
      answer.append(bytes, static_cast<std::size_t>(count));
  ::close(connection);
  return answer;
}

int main() {
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("neuralts-consumer-" + std::to_string(::getpid()))).string();
  neuralts::DecisionServer server({.folder = folder, .listen = "127.0.0.1:0"});
  const std::string address = server.address(), body = R"({"actions":[{"id":"a"},{"id":"b"}]})";
  const std::string answer = asked(std::stoi(address.substr(address.rfind(':') + 1)),
                                   "POST /v1/loops/default/rank HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
                                   "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  server.stop();
  neuralts::Event event;
  const bool logged = neuralts::service_events(folder)->next(event) && event.actions.size() == 2;
  std::filesystem::remove_all(folder);
  std::printf("%s\n", answer.c_str());
  return answer.starts_with("HTTP/1.1 200") && logged ? 0 : 1;
}
