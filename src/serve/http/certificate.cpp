#include "serve/http/certificate.hpp"

#include "neuralts/error.hpp"

namespace neuralts::serve {

namespace ssl = boost::asio::ssl;

std::shared_ptr<ssl::context> load_certificate(const std::string& certificate, const std::string& key) {
  if (certificate.empty()) return nullptr;
  auto tls = std::make_shared<ssl::context>(ssl::context::tls_server);
  boost::system::error_code problem;
  SSL_CTX_set_min_proto_version(tls->native_handle(), TLS1_2_VERSION);
  tls->use_certificate_chain_file(certificate, problem);
  if (problem)
    throw Error(ErrorCode::bad_input, certificate, problem.message(), "a PEM certificate chain is needed");
  tls->use_private_key_file(key, ssl::context::pem, problem);
  if (problem) throw Error(ErrorCode::bad_input, key, problem.message(), "a PEM private key is needed");
  if (SSL_CTX_check_private_key(tls->native_handle()) != 1)
    throw Error(ErrorCode::bad_input, key, "does not belong to the certificate");
  return tls;
}

}  // namespace neuralts::serve
