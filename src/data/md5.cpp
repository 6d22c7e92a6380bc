#include "data/md5.hpp"

#include "neuralts/error.hpp"

#ifdef NEURALTS_HAS_CURL  // who cannot fetch has nothing to check

#include <openssl/evp.h>

namespace neuralts {

struct Md5::State {
  State() {
    if (::EVP_DigestInit_ex(context.get(), ::EVP_md5(), nullptr) != 1)
      throw Error(ErrorCode::unsupported, "MD5", "this system's OpenSSL offers none");
  }
  struct Free {
    void operator()(EVP_MD_CTX* one) const { ::EVP_MD_CTX_free(one); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context{::EVP_MD_CTX_new()};
};

Md5::Md5() : state_(std::make_unique<State>()) {}
Md5::~Md5() = default;

void Md5::update(std::span<const char> bytes) {
  ::EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size());
}

std::string Md5::finish() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  ::EVP_DigestFinal_ex(state_->context.get(), digest, &size);
  std::string text;
  for (unsigned i = 0; i < size; ++i)
    for (const unsigned half : {digest[i] / 16u, digest[i] % 16u}) text += "0123456789abcdef"[half];
  return text;
}

}  // namespace neuralts

#else

namespace neuralts {

struct Md5::State {};
Md5::Md5() {
  throw Error(ErrorCode::unsupported, "MD5", "this build cannot fetch",
              "build with libcurl (NEURALTS_FETCH=ON)");
}
Md5::~Md5() = default;
void Md5::update(std::span<const char>) {}
std::string Md5::finish() { return ""; }

}  // namespace neuralts

#endif
