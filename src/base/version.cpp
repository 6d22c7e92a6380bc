#include "neuralts/version.hpp"

namespace neuralts {

const char* version() { return NEURALTS_VERSION; }

}  // namespace neuralts
