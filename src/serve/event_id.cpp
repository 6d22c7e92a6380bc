// OpenSSL's door for hashes; TLS has its own in http/.
#define OPENSSL_SUPPRESS_DEPRECATED  // SHA256_*: see KeyedHash
#include "serve/event_id.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <array>
#include <cstring>

#include "neuralts/error.hpp"

namespace neuralts::serve {

namespace {

constexpr std::string_view digits = "0123456789abcdefghjkmnpqrstvwxyz";  // Crockford's: no i, l, o, u

int value_of(char c) {
  const auto at = digits.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

/// HMAC-SHA256 of a number, its first 64 bits. The key is worked in once, and a signature starts from copies of
/// where that ended: OpenSSL's general interface takes and frees memory for each, which costs far more than
/// hashing.
class KeyedHash {
 public:
  explicit KeyedHash(const std::string& secret) {
    std::array<unsigned char, SHA256_CBLOCK> key{};
    if (secret.size() > key.size())
      SHA256(reinterpret_cast<const unsigned char*>(secret.data()), secret.size(), key.data());
    else
      std::memcpy(key.data(), secret.data(), secret.size());
    inner_ = begun(key, 0x36);
    outer_ = begun(key, 0x5c);
    OPENSSL_cleanse(key.data(), key.size());
  }
  ~KeyedHash() {
    OPENSSL_cleanse(&inner_, sizeof inner_);
    OPENSSL_cleanse(&outer_, sizeof outer_);
  }
  KeyedHash(const KeyedHash&) = delete;

  std::uint64_t of(std::uint64_t number) const {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    finish(inner_, &number, sizeof number, digest);
    finish(outer_, digest.data(), digest.size(), digest);
    std::uint64_t first = 0;
    std::memcpy(&first, digest.data(), sizeof first);
    return first;
  }

 private:
  template <class Block>
  static SHA256_CTX begun(const Block& key, unsigned char mask) {
    Block masked = key;
    for (unsigned char& byte : masked) byte ^= mask;
    SHA256_CTX state;
    SHA256_Init(&state);
    SHA256_Update(&state, masked.data(), masked.size());
    OPENSSL_cleanse(masked.data(), masked.size());
    return state;
  }
  template <class Digest>
  static void finish(SHA256_CTX state, const void* bytes, std::size_t size, Digest& out) {
    SHA256_Update(&state, bytes, size);
    SHA256_Final(out.data(), &state);
  }

  SHA256_CTX inner_, outer_;
};

}  // namespace

struct IdSigner::Key {
  explicit Key(const std::string& secret) : hash(secret) {}
  const KeyedHash hash;
};

IdSigner::IdSigner(const std::string& secret) : key_(std::make_unique<Key>(secret)) {}
IdSigner::~IdSigner() = default;

std::uint64_t IdSigner::signature(std::uint64_t number) const { return key_->hash.of(number); }

std::string IdSigner::text(const EventId& id) const {
  std::string out(length, '0');
  write(id, out.data());
  return out;
}

void IdSigner::write(const EventId& id, char* out) const {
  if (id.sequence >> 48 != 0)
    throw ContractError(fmt::format("event id: sequence {} needs more than 48 bits", id.sequence));
  const std::uint64_t number = std::uint64_t{id.writer} << 48 | id.sequence;
  unsigned __int128 bits = static_cast<unsigned __int128>(number) << 64 | signature(number);
  for (std::size_t i = length; i-- > 0; bits >>= 5) out[i] = digits[static_cast<std::size_t>(bits & 31)];
}

bool IdSigner::has_form(std::string_view text) {
  return text.size() == length && text.find_first_not_of(digits) == std::string_view::npos && value_of(text[0]) < 8;
}

std::optional<EventId> IdSigner::parse(std::string_view text) const {
  if (!has_form(text)) return std::nullopt;
  unsigned __int128 bits = 0;
  for (const char c : text) bits = bits << 5 | static_cast<unsigned>(value_of(c));
  const auto number = static_cast<std::uint64_t>(bits >> 64);
  const std::uint64_t expected = signature(number), given = static_cast<std::uint64_t>(bits);
  if (CRYPTO_memcmp(&expected, &given, sizeof given) != 0) return std::nullopt;
  return EventId{static_cast<std::uint16_t>(number >> 48), number & ((std::uint64_t{1} << 48) - 1)};
}

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, 32> digest{};
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

bool same_text(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace neuralts::serve
