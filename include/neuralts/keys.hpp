// Keys of parameters as different languages write them.
#pragma once

#include "neuralts/params.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

/// The key of `table` that `given` means: itself, or the one that differs in '-' for '_' and a '_' at the end,
/// as languages whose names hold no '-' and have words of their own must write it (stop_after, lambda_).
/// `given` where there is none.
std::string known_key(const std::string& given, const std::vector<ParamInfo>& table);
/// `given` with the keys of `table`. Throws Error(bad_spec) for a key that is not in it, naming the nearest,
/// and for a parameter that is given under two spellings.
Params known_keys(const std::string& where, const Params& given, const std::vector<ParamInfo>& table);

}  // namespace neuralts
#pragma GCC visibility pop
