#include "serve/access.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "base/file.hpp"
#include "base/text.hpp"
#include "neuralts/error.hpp"
#include "serve/event_id.hpp"

namespace neuralts::serve {

namespace {

const std::vector<std::string> role_names = {"decide", "reward", "admin", "metrics"};

unsigned roles_of(const std::string& where, const std::string& text) {
  unsigned roles = 0;
  for (const auto& word : split(text, '+')) {
    std::size_t i = 0;
    while (i < role_names.size() && role_names[i] != word) ++i;
    if (i == role_names.size())
      throw Error(ErrorCode::bad_input, where, fmt::format("unknown role '{}'", word), suggest(word, role_names));
    roles |= 1U << i;
  }
  return roles;
}

void check_private(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    throw Error(ErrorCode::io, path, std::strerror(errno), "neuralts serve --new-token ROLE makes it");
  if ((status.st_mode & 077) != 0)
    throw Error(ErrorCode::bad_input, path, "others can read it", "chmod 600 " + path);
}

}  // namespace

const char* name_of(Role role) {
  switch (role) {
    case Role::decide: return "decide";
    case Role::reward: return "reward";
    case Role::admin: return "admin";
    case Role::metrics: return "metrics";
    case Role::open: break;
  }
  return "open";
}

void Access::reload() {
  if (path_.empty()) return;
  check_private(path_);
  const auto bytes = read_file(path_);
  std::istringstream lines(std::string(bytes.begin(), bytes.end()));
  std::vector<Token> tokens;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (trim(line).empty() || line[0] == '#') continue;
    const std::string where = fmt::format("{}:{}", path_, number);
    std::istringstream words(line);
    std::string roles, hash;
    words >> roles >> hash;
    if (hash.size() != 64 || hash.find_first_not_of("0123456789abcdef") != std::string::npos)
      throw Error(ErrorCode::bad_input, where, "a line has a role, 64 hex digits and a name");
    tokens.push_back({hash, roles_of(where, roles)});
  }
  tokens_.store(std::make_shared<const std::vector<Token>>(std::move(tokens)));
}

Access::Answer Access::check(std::string_view token, Role role) const {
  if (!guarded() || role == Role::open) return Answer::allowed;
  const auto tokens = tokens_.load();
  const std::string hash = sha256_hex(token);
  unsigned roles = 0;
  for (const Token& known : *tokens)  // all are looked at: how long it takes tells nothing
    if (same_text(known.hash, hash)) roles |= known.roles;
  if (roles == 0) return Answer::unknown;
  const unsigned wanted = static_cast<unsigned>(role) | static_cast<unsigned>(Role::admin);
  return (roles & wanted) != 0 ? Answer::allowed : Answer::forbidden;
}

std::string Access::add_token(const std::string& path, const std::string& roles, const std::string& name,
                              std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
  roles_of("--new-token", roles);
  if (name.empty() || std::any_of(name.begin(), name.end(), [](unsigned char at) { return at < 32 || at == 127; }))
    throw Error(ErrorCode::bad_spec, "--token-name", "a name is one line without control characters");
  const std::string token = fmt::format("nts_{:016x}{:016x}{:016x}{:016x}", a, b, c, d);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  const std::string line = fmt::format("{} {} {}\n", roles, sha256_hex(token), name);
  if (file < 0 || ::write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size()) ||
      ::fsync(file) != 0) {
    if (file >= 0) ::close(file);
    throw Error(ErrorCode::io, path, std::strerror(errno));
  }
  ::close(file);
  return token;
}

}  // namespace neuralts::serve
