#include "server.hpp"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "serve/journal/postgres/connection.hpp"

namespace neuralts::serve {

namespace {

namespace fs = std::filesystem;

/// The server refuses to run as root: then it runs as one of these.
const passwd* ordinary_user() {
  if (::geteuid() != 0) return nullptr;
  for (const char* name : {"postgres", "nobody"})
    if (const passwd* user = ::getpwnam(name)) return user;
  throw std::runtime_error("no ordinary user to run a server as");
}

pid_t spawn(const std::vector<std::string>& words, const std::string& log) {
  const passwd* user = ordinary_user();
  const pid_t child = ::fork();
  if (child != 0) return child;
  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  ::dup2(out, 1);
  ::dup2(out, 2);
  if (user != nullptr &&
      (::setgroups(0, nullptr) != 0 || ::setgid(user->pw_gid) != 0 || ::setuid(user->pw_uid) != 0))
    ::_exit(126);
  if (::chdir("/") != 0) ::_exit(126);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

std::uint16_t free_port() {
  const int door = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ::bind(door, reinterpret_cast<sockaddr*>(&address), size);
  ::getsockname(door, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(door);
  return ntohs(address.sin_port);
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string text, name, state;
    pid_t of = 0;
    if (!std::getline(file, text) || text.rfind(')') == std::string::npos) continue;
    if (std::sscanf(text.c_str() + text.rfind(')') + 1, " %*c %d", &of) == 1 && of == parent)
      found.push_back(std::atoi(text.c_str()));
  }
  return found;
}

}  // namespace

std::optional<std::string> PostgresServer::programs() {
  if (const char* folder = std::getenv("NEURALTS_POSTGRES"); folder != nullptr && *folder != 0) return folder;
  std::vector<std::string> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", none))
    if (fs::exists(entry.path() / "bin/initdb") && fs::exists(entry.path() / "bin/postgres"))
      found.push_back(entry.path() / "bin");
  if (found.empty()) return std::nullopt;
  return *std::max_element(found.begin(), found.end());
}

PostgresServer::PostgresServer() {
  std::string pattern = (fs::temp_directory_path() / "neuralts-postgres-XXXXXX").string();
  folder_ = ::mkdtemp(pattern.data());
  if (const passwd* user = ordinary_user();
      user != nullptr && ::chown(folder_.c_str(), user->pw_uid, user->pw_gid) != 0)
    throw std::runtime_error("cannot give " + folder_ + " away");
  const pid_t made = spawn({*programs() + "/initdb", "-D", folder_ + "/data", "-U", "neuralts", "-A", "trust",
                            "-E", "UTF8", "--locale=C", "-N"},
                           folder_ + "/log");
  int status = 0;
  ::waitpid(made, &status, 0);
  if (status != 0) throw std::runtime_error("initdb failed: see " + folder_ + "/log");
  port_ = free_port();
  start();
}

PostgresServer::~PostgresServer() {
  stop();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string PostgresServer::address() const {
  return fmt::format("postgres://neuralts@127.0.0.1:{}/postgres", port_);
}

/// What an earlier server has left behind may need a moment to end: then another try is made.
void PostgresServer::start() {
  for (int tries = 0; tries < 600; ++tries) {
    if (process_ == -1)
      process_ = spawn({*programs() + "/postgres", "-D", folder_ + "/data", "-p", std::to_string(port_), "-c",
                        "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c",
                        "shared_buffers=32MB", "-c", "max_connections=60"},
                       folder_ + "/log");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (::waitpid(process_, nullptr, WNOHANG) == process_) process_ = -1;
    try {
      if (process_ != -1) Connection(address(), "public", 5000);
      if (process_ != -1) return;
    } catch (const JournalError&) {
    }
  }
  throw std::runtime_error("the server does not start: see " + folder_ + "/log");
}

void PostgresServer::stop() {
  if (process_ == -1) return;
  ::kill(process_, SIGINT);
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
}

double PostgresServer::processor_seconds() const {
  auto all = children_of(process_);
  all.push_back(process_);
  double sum = 0;
  for (const pid_t process : all) {
    std::ifstream file(fmt::format("/proc/{}/stat", process));
    std::string text;
    unsigned long user = 0, system = 0;
    if (std::getline(file, text) && text.rfind(')') != std::string::npos &&
        std::sscanf(text.c_str() + text.rfind(')') + 1,
                    " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) == 2)
      sum += static_cast<double>(user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }
  return sum;
}

void PostgresServer::kill() {
  if (process_ == -1) return;
  const auto children = children_of(process_);
  ::kill(process_, SIGKILL);
  for (const pid_t child : children) ::kill(child, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
}

}  // namespace neuralts::serve
