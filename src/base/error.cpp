#include "neuralts/error.hpp"

namespace neuralts {

Error::Error(ErrorCode code, const std::string& where, const std::string& what, const std::string& hint)
    : std::runtime_error(where + ": " + what + (hint.empty() ? "" : ": " + hint)), code_(code) {}

}  // namespace neuralts
