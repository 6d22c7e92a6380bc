// The lab from the outside: runs in a world, kept in a folder, told in a report; an error caught across the border.
#include <neuralts/lab.hpp>

#include <cstdio>
#include <filesystem>

int main() {
  const auto path = std::filesystem::temp_directory_path() / "neuralts-consumer-results";
  std::filesystem::remove_all(path);
  neuralts::ResultsFolder folder(path.string());
  const neuralts::Grid grid{.envs = {"linear"}, .policies = {"linear-ts", "random"}, .seeds = {1, 2}, .rounds = 50};
  const auto records = neuralts::run_experiment({{grid}}, {.folder = &folder, .jobs = 1});
  std::size_t rounds = 0;
  neuralts::run(*neuralts::make_environment("linear"), {.policy = {.name = "random"}, .rounds = 20},
                {.record = [&](const neuralts::RoundRecord& record) { rounds = record.round; }});
  const bool page = std::filesystem::exists(neuralts::write_report(folder));
  bool caught = false;
  try {
    neuralts::make_environment("no-such-world");
  } catch (const neuralts::Error& error) {
    caught = error.code() == neuralts::ErrorCode::bad_spec;
  }
  std::filesystem::remove_all(path);
  std::printf("%zu runs, a page: %d, an error caught: %d\n", records.size(), page, caught);
  return records.size() == 4 && rounds == 20 && page && caught ? 0 : 1;
}
