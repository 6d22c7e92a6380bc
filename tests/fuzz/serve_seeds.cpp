// usage: serve_seeds FOLDER — writes models, checkpoints, journals and spools for the fuzzers to begin with,
// into folders of their names.
#include <filesystem>
#include <fstream>
#include <string>

#include "fuzz/serve_seeds.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (const auto& [place, bytes] : neuralts::fuzz::serve_seeds()) {
    const std::string folder = std::string(argv[1]) + "/" + place.first;
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/" + place.second, std::ios::binary) << bytes;
  }
}
