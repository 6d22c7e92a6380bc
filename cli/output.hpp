// Standard output that cannot be written is a failure, never a silent success.
#pragma once

namespace neuralts::cli {

/// To be called first. Standard streams that are closed are opened so that using them fails: else the next file
/// to be opened would take their number, and what is printed would land in it.
void occupy_standard_streams();

/// Writes out what was printed. False, with a message on standard error, when any of it was lost.
bool output_is_complete();

}  // namespace neuralts::cli
