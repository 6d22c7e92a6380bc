// Parameters as a person gives them: key=value, every key documented.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace neuralts {

/// Keys and values as text, sorted by key; what was given, not what it means.
using Params = std::map<std::string, std::string>;

/// "a=1,b=2" or "" -> Params. Throws Error(bad_spec) for text without '=' and for a key given twice.
Params parse_params(std::string_view text);
std::string to_string(const Params& params);

/// One documented key.
struct ParamInfo {
  std::string key;
  std::string default_value;
  std::string range;  ///< what is allowed: "> 0", "a | b | c", "0 .. 1"; values are checked against this text
  std::string doc;    ///< what it does and what follows from a larger or smaller value
};

}  // namespace neuralts
#pragma GCC visibility pop
