// Ctrl-C ends a sweep in good order; a second one ends the program.
#pragma once

namespace neuralts::cli {

void catch_interrupts();
bool interrupted();

}  // namespace neuralts::cli
