// OpenSSL's door for hashes; TLS has its own in http/.
#include "serve/event_id.hpp"

#include <fmt/format.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <array>
#include <cstring>
#include <mutex>

#include "neuralts/error.hpp"

namespace neuralts::serve {

namespace {

constexpr std::string_view digits = "0123456789abcdefghjkmnpqrstvwxyz";  // Crockford's: no i, l, o, u

int value_of(char c) {
  const auto at = digits.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

/// The key is worked in once; a signature starts from there.
class KeyedMac {
 public:
  explicit KeyedMac(const std::string& secret)
      : algorithm(EVP_MAC_fetch(nullptr, "HMAC", nullptr)), context(EVP_MAC_CTX_new(algorithm)) {
    char digest[] = "SHA256";
    const OSSL_PARAM how[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                              OSSL_PARAM_construct_end()};
    if (EVP_MAC_init(context, reinterpret_cast<const unsigned char*>(secret.data()), secret.size(), how) != 1)
      throw Error(ErrorCode::unsupported, "event ids", "OpenSSL has no HMAC-SHA256", "");
  }
  KeyedMac(const KeyedMac&) = delete;
  ~KeyedMac() {
    EVP_MAC_CTX_free(context);
    EVP_MAC_free(algorithm);
  }
  /// Nothing: another thread is at it.
  std::optional<std::uint64_t> try_sign(std::uint64_t number) {
    const std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock) return std::nullopt;
    return sign(number);
  }
  std::uint64_t wait_and_sign(std::uint64_t number) {
    const std::lock_guard lock(mutex);
    return sign(number);
  }

 private:
  std::uint64_t sign(std::uint64_t number) {
    std::array<unsigned char, 32> mac{};
    std::size_t size = 0;
    EVP_MAC_init(context, nullptr, 0, nullptr);
    EVP_MAC_update(context, reinterpret_cast<const unsigned char*>(&number), sizeof number);
    EVP_MAC_final(context, mac.data(), &size, mac.size());
    std::uint64_t first = 0;
    std::memcpy(&first, mac.data(), sizeof first);
    return first;
  }

  EVP_MAC* algorithm;
  EVP_MAC_CTX* context;
  std::mutex mutex;
};

}  // namespace

/// Several, so that a thread that is stopped in the middle of a signature holds up no other.
struct IdSigner::Macs {
  explicit Macs(const std::string& secret)
      : all{KeyedMac(secret), KeyedMac(secret), KeyedMac(secret), KeyedMac(secret)} {}
  std::array<KeyedMac, 4> all;
};

IdSigner::IdSigner(const std::string& secret) : macs_(std::make_unique<Macs>(secret)) {}
IdSigner::~IdSigner() = default;

std::uint64_t IdSigner::signature(std::uint64_t number) const {
  for (KeyedMac& mac : macs_->all)
    if (const auto signature = mac.try_sign(number)) return *signature;
  return macs_->all.front().wait_and_sign(number);
}

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
