// Is this text UTF-8?
#pragma once

#include <string_view>

namespace neuralts {

/// As RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text);

}  // namespace neuralts
