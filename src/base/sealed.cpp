#include "base/sealed.hpp"

#include <cstring>

#include "base/checksum.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

namespace {

constexpr std::size_t magic_size = 8, header_size = magic_size + 2 * sizeof(std::uint32_t);

}  // namespace

std::vector<char> seal(const SealedKind& kind, const Writer& body) {
  Writer out;
  out.characters(kind.magic);
  out.value(kind.version);
  out.value(checksum(body.bytes()));
  out.characters({body.bytes().data(), body.bytes().size()});
  return out.bytes();
}

bool is_sealed(const SealedKind& kind, std::span<const char> bytes) {
  return bytes.size() >= header_size && std::memcmp(bytes.data(), kind.magic.data(), magic_size) == 0;
}

Unsealed unseal(const SealedKind& kind, std::span<const char> bytes, const std::string& where) {
  if (!is_sealed(kind, bytes))
    throw Error(ErrorCode::corrupt, where, "this is not a saved " + std::string(kind.what),
                "expected a file made by save()");
  Reader header(bytes.subspan(magic_size, header_size - magic_size), where);
  const auto version = header.value<std::uint32_t>();
  if (version < kind.oldest || version > kind.version) refuse_version(kind, version, where);
  const std::span<const char> body = bytes.subspan(header_size);
  if (header.value<std::uint32_t>() != checksum(body))
    throw Error(ErrorCode::corrupt, where, "the checksum does not match",
                "the file is truncated or damaged; use another copy");
  return {version, body};
}

void refuse_version(const SealedKind& kind, std::uint32_t found, const std::string& where) {
  throw Error(ErrorCode::unsupported, where, "saved by format version " + std::to_string(found),
              "this program reads version " + std::to_string(kind.version) +
                  "; learn again, or use the program that saved it");
}

}  // namespace neuralts
