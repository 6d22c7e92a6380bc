// Who may do what: tokens with roles, kept as hashes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/shared_cell.hpp"

namespace neuralts::serve {

enum class Role : unsigned { open = 0, decide = 1, reward = 2, admin = 4, metrics = 8 };

/// A file with a line per token: role, SHA-256 of the token in hex, a name. Several roles: decide+reward. admin
/// may do all.
///   decide+reward 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 shop-frontend
class Access {
 public:
  /// No file: every call is allowed, with or without a token.
  explicit Access(std::string path) : path_(std::move(path)) { reload(); }
  /// Reads the file again. Throws Error(io | bad_input) and keeps what it had: a missing file, one that others
  /// can read, a line that is none.
  void reload();
  bool guarded() const { return !path_.empty(); }

  enum class Answer { allowed, unknown, forbidden };
  Answer check(std::string_view token, Role role) const;

  /// A new token with its line appended to `path` (made with mode 0600): the only time it is seen.
  static std::string add_token(const std::string& path, const std::string& roles, const std::string& name,
                               std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d);

 private:
  struct Token {
    std::string hash;
    unsigned roles = 0;
  };
  std::string path_;
  SharedCell<const std::vector<Token>> tokens_;
};

const char* name_of(Role role);

}  // namespace neuralts::serve
