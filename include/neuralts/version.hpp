// Which build this is.
#pragma once

namespace neuralts {

/// "major.minor.patch" of the library that was linked.
const char* version();

}  // namespace neuralts
