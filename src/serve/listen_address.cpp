#include "serve/listen_address.hpp"

#include "base/whole_number.hpp"
#include "neuralts/error.hpp"

namespace neuralts::serve {

ListenAddress listen_address(const std::string& text) {
  const auto colon = text.rfind(':');
  const auto port = parse_whole<std::uint16_t>(colon == std::string::npos ? "" : text.substr(colon + 1));
  if (!port)
    throw Error(ErrorCode::bad_spec, "listen", "'" + text + "' is not ADDRESS:PORT, ports from 0 to 65535",
                "for example 127.0.0.1:8080 or [::1]:8080");
  std::string address = text.substr(0, colon);
  if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
  if (address == "localhost") address = "127.0.0.1";
  return {std::move(address), *port};
}

}  // namespace neuralts::serve
