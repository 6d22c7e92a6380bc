// A loop whose turns may run at once. What a turn computes must not depend on which thread runs it.
#pragma once

#include <cstddef>
#include <functional>

namespace neuralts {

/// As many as the machine has, at least 1.
std::size_t hardware_threads();

/// Calls body(0), ..., body(count - 1), each once, from up to `threads` threads (0: as many as the machine has).
/// The first exception of a turn ends the loop early and is thrown again here.
void parallel_for(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& body);

}  // namespace neuralts
