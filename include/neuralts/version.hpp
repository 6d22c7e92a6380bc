// Which build this is.
#pragma once

#pragma GCC visibility push(default)
namespace neuralts {

/// "major.minor.patch" of the library that was linked.
const char* version();

}  // namespace neuralts
#pragma GCC visibility pop
