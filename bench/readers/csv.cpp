// Reading a million rows of CSV: megabytes a second on one core. The peer, pandas' C reader, is run by
// bench/readers/csv_peer.py on the file this program writes.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <fstream>

#include "data/table.hpp"
#include "neuralts/random.hpp"

namespace {

using namespace neuralts;

constexpr std::size_t rows = 1'000'000;

// Eight decimals, two integers, one nominal column and a class: about 75 bytes a row.
std::string make_file() {
  const auto path = (std::filesystem::temp_directory_path() / "neuralts-bench.csv").string();
  std::ofstream out(path, std::ios::binary);
  for (int i = 0; i < 8; ++i) out << "x" << i << ",";
  out << "i,j,kind,class\n";
  Stream stream(1, Purpose::environment);
  const char* const kinds[] = {"red", "green", "blue"};
  char line[256];
  for (std::size_t r = 0; r < rows; ++r) {
    int size = 0;
    for (int i = 0; i < 8; ++i)
      size += std::snprintf(line + size, sizeof line - static_cast<std::size_t>(size), "%.4f,",
                            stream.normal());
    size += std::snprintf(line + size, sizeof line - static_cast<std::size_t>(size), "%u,%u,%s,%c\n",
                          static_cast<unsigned>(stream.below(100000)),
                          static_cast<unsigned>(stream.below(10)), kinds[stream.below(3)],
                          stream.below(2) == 0 ? 'p' : 'e');
    out.write(line, size);
  }
  return path;
}

const std::string& file() {
  static const std::string path = make_file();
  return path;
}

void read_csv_file(benchmark::State& state) {
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(file()));
  for (auto _ : state) {
    const Table table = read_csv(*open_source(file()), {});
    if (table.features.rows() != rows) state.SkipWithError("rows are missing");
  }
  state.SetBytesProcessed(size * static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(read_csv_file)->Unit(benchmark::kMillisecond);

}  // namespace
