// TLS as the door uses it.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>

namespace neuralts::serve {

/// TLS 1.2 or later with the certificate chain and key of these PEM files; nothing when there are none. Throws
/// Error(bad_input).
std::shared_ptr<boost::asio::ssl::context> load_certificate(const std::string& certificate, const std::string& key);

}  // namespace neuralts::serve
