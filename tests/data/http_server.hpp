// A small HTTP server on 127.0.0.1 for tests: one connection at a time, answers as it is told, well or badly.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace neuralts {

struct HttpRequest {
  std::string path;
  std::size_t from = 0;  // of "Range: bytes=FROM-"
};

struct HttpReply {
  std::string head, body;
  std::size_t cut = std::string::npos;  // bytes of the body that are sent before the connection is closed
  double pause = 0;                     // seconds of silence before the body
};

inline HttpReply http_ok(const std::string& body) {
  return {"HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n", body};
}
inline HttpReply http_status(const std::string& status) {
  return {"HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n", ""};
}
inline HttpReply http_part(const std::string& body, std::size_t from) {
  const auto size = std::to_string(body.size());
  return {"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes " + std::to_string(from) + "-" +
              std::to_string(body.size() - 1) + "/" + size +
              "\r\nContent-Length: " + std::to_string(body.size() - from) + "\r\n\r\n",
          body.substr(from)};
}

class HttpServer {
 public:
  explicit HttpServer(std::function<HttpReply(const HttpRequest&)> answer)
      : answer_(std::move(answer)), socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(socket_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(socket_, 8) != 0 ||
        ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw std::runtime_error("no port on 127.0.0.1");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~HttpServer() {
    stopping_ = true;
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  int requests() const { return requests_; }

 private:
  void serve() {
    while (!stopping_) {
      const int client = ::accept(socket_, nullptr, nullptr);
      if (client < 0) continue;
      if (const auto request = read_request(client); !request.path.empty()) send_reply(client, answer_(request));
      ::shutdown(client, SHUT_WR);
      ::close(client);
    }
  }

  HttpRequest read_request(int client) {
    std::string text;
    char buffer[4096];
    while (text.find("\r\n\r\n") == std::string::npos) {
      const auto got = ::recv(client, buffer, sizeof buffer, 0);
      if (got <= 0) return {};
      text.append(buffer, static_cast<std::size_t>(got));
    }
    ++requests_;
    HttpRequest request{text.substr(4, text.find(' ', 4) - 4)};
    if (const auto range = text.find("Range: bytes="); range != std::string::npos)
      request.from = std::stoul(text.substr(range + 13));
    return request;
  }

  void send_reply(int client, const HttpReply& reply) {
    send_all(client, reply.head);
    std::this_thread::sleep_for(std::chrono::duration<double>(reply.pause));
    send_all(client, reply.body.substr(0, reply.cut));
  }

  static void send_all(int client, const std::string& text) {
    for (std::size_t sent = 0; sent < text.size();) {
      const auto now = ::send(client, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (now <= 0) return;
      sent += static_cast<std::size_t>(now);
    }
  }

  std::function<HttpReply(const HttpRequest&)> answer_;
  int socket_;
  int port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> requests_ = 0;
  std::thread thread_;
};

}  // namespace neuralts
