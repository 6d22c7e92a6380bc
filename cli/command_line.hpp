// The command as it was typed, for the report.
#pragma once

#include <string>

namespace neuralts::cli {

/// "neuralts run --env mushroom": the words after the program's name, quoted for a shell; empty where the
/// system does not tell.
std::string command_line();

}  // namespace neuralts::cli
