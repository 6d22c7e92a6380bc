#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "command.hpp"
#include "neuralts/error.hpp"

namespace {

using neuralts::cli::Command;
constexpr Command commands[] = {
    {"run", neuralts::cli::add_run},
    {"policies", neuralts::cli::add_policies},
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"neuralts: neural contextual bandits", "neuralts"};
  app.require_subcommand(1);
  int status = 0;
  for (const auto& command : commands) command.add(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const neuralts::Error& error) {
    fmt::print(stderr, "neuralts: {}\n", error.what());
    return error.code() == neuralts::ErrorCode::bad_spec ? 2 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "neuralts: {}\n", error.what());
    return 1;
  }
  return status;
}
