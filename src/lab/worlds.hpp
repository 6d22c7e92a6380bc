// Worlds by name, each read once, by the first thread that needs it; the others wait for that thread.
#pragma once

#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "neuralts/lab.hpp"

namespace neuralts {

class Worlds {
 public:
  Worlds(std::string data_dir, const GivenWorlds& given);
  std::shared_ptr<const Environment> get(const std::string& text);
  /// What the world's name does not say (world_facts.hpp), without making it; a file is hashed once.
  std::string identity(const std::string& text);

 private:
  using World = std::shared_future<std::shared_ptr<const Environment>>;
  std::pair<World, bool> find(const std::string& text, std::promise<std::shared_ptr<const Environment>>& promise);

  std::string data_dir_;
  std::mutex mutex_;
  std::unordered_map<std::string, World> worlds_;
  std::unordered_map<std::string, std::string> identities_;
};

/// What is known of a run before it begins.
Record blank_record(const RunSpec& spec, std::string key);

}  // namespace neuralts
