// Where a service listens.
#pragma once

#include <cstdint>
#include <string>

namespace neuralts::serve {

struct ListenAddress {
  std::string address;  ///< without the brackets of [::1]
  std::uint16_t port = 0;

  bool loopback() const { return address.starts_with("127.") || address == "::1"; }
};

/// Of ADDRESS:PORT. Throws Error(bad_spec).
ListenAddress listen_address(const std::string& text);

}  // namespace neuralts::serve
