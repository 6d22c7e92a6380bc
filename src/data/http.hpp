// The one door to the network (libcurl): a small text, or a file in parts.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace neuralts {

struct HttpOptions {
  double stall_seconds = 30;
  std::function<void(std::size_t done, std::size_t total)> progress{};
};

/// The body of a GET, at most 16 MiB of it. Throws Error(io | not_found | unsupported).
std::string http_text(const std::string& url, const HttpOptions& options);

/// Appends to the file what it still lacks of `url`; a server that cannot continue makes it start again.
/// On a broken transfer throws Error(io) and leaves in the file what has arrived; on a refusal leaves the file
/// as it was.
void http_append(const std::string& url, const std::string& path, const HttpOptions& options);

}  // namespace neuralts
