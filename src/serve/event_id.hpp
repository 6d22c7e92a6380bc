// Names of events made by the service: writer and sequence, signed, so that a forged one is told without a look-up.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace neuralts::serve {

struct EventId {
  std::uint16_t writer = 0;
  std::uint64_t sequence = 0;  ///< below 2^48
  bool operator==(const EventId&) const = default;
};

/// Any thread.
class IdSigner {
 public:
  /// `secret`: 32 random bytes that stay with the journal.
  explicit IdSigner(const std::string& secret);
  ~IdSigner();
  static constexpr std::size_t length = 26;
  /// `length` letters and digits: 16 bits of writer, 48 of sequence, 64 of HMAC-SHA256, in base32.
  std::string text(const EventId& id) const;
  void write(const EventId& id, char* out) const;
  /// Nothing: it has another form or a wrong signature.
  std::optional<EventId> parse(std::string_view text) const;
  /// It has the form of such an id, right or forged. Callers' own ids must not.
  static bool has_form(std::string_view text);

 private:
  struct Key;
  std::uint64_t signature(std::uint64_t number) const;
  std::unique_ptr<const Key> key_;
};

std::string sha256_hex(std::string_view bytes);
/// In constant time for texts of one length.
bool same_text(std::string_view a, std::string_view b);

}  // namespace neuralts::serve
