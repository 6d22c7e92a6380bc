// usage: session_seeds FOLDER — writes saved sessions for the fuzzer to begin with.
#include <fstream>
#include <string>

#include "fuzz/session_seeds.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (const auto& [name, bytes] : neuralts::fuzz::session_seeds())
    std::ofstream(std::string(argv[1]) + "/" + name, std::ios::binary) << bytes;
}
