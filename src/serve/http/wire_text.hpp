// An answer as it goes over the wire.
#pragma once

#include <string>

#include "serve/service.hpp"

namespace neuralts::serve {

/// Status line, header and, unless `head_only`, the body into `out`, whose memory is reused.
void write_wire_text(const Answer& answer, bool keep_alive, bool head_only, std::string& out);
/// What the door itself refuses.
Answer refusal(int status, const std::string& detail);

}  // namespace neuralts::serve
