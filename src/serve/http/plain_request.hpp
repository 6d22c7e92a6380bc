// Where a request ends, for the most common kind of it, without reading it: a door that has more to do than it
// can refuses most of what comes, and what a refusal costs is missing for the rest.
#pragma once

#include <cstddef>
#include <string_view>

namespace neuralts::serve {

/// How long the request at the beginning of `text` is, if it is there whole, header and body: a POST of HTTP/1.1
/// whose one Content-Length says where it ends, with no field that says it otherwise or asks for something on the
/// way. 0: it is not all here, or of another kind; a parser says which.
std::size_t plain_request_size(std::string_view text);

}  // namespace neuralts::serve
