// What every command's arguments have in common: a count is a count, and nothing given is empty.
#pragma once

#include <CLI/CLI.hpp>

namespace neuralts::cli {

/// For a count that cannot be 0.
extern const CLI::Validator at_least_one;

/// Checks, for every option of `app` and of its commands: a whole number has no sign and fits 64 bits, a number
/// is finite, a text is not empty. To be called when all commands are there.
void check_arguments(CLI::App& app);

}  // namespace neuralts::cli
