#include "lab/worlds.hpp"

#include "neuralts/world_facts.hpp"

namespace neuralts {

Worlds::Worlds(std::string data_dir, const GivenWorlds& given) : data_dir_(std::move(data_dir)) {
  for (const auto& [name, world] : given) {
    if (world == nullptr) throw ContractError("the world given as '" + name + "' is null");
    std::promise<std::shared_ptr<const Environment>> there;
    there.set_value(world);
    worlds_.emplace(name, there.get_future().share());
    identities_.emplace(name, world_identity(*world));
  }
}

std::shared_ptr<const Environment> Worlds::get(const std::string& text) {
  std::promise<std::shared_ptr<const Environment>> promise;
  auto [world, mine] = find(text, promise);
  if (mine) try {
      promise.set_value(make_environment(text, data_dir_));
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
  return world.get();
}

std::string Worlds::identity(const std::string& text) {
  const std::lock_guard guard(mutex_);
  const auto known = identities_.find(text);
  return known != identities_.end() ? known->second
                                    : identities_.emplace(text, environment_identity(text)).first->second;
}

std::pair<Worlds::World, bool> Worlds::find(const std::string& text,
                                            std::promise<std::shared_ptr<const Environment>>& promise) {
  const std::lock_guard guard(mutex_);
  if (const auto known = worlds_.find(text); known != worlds_.end()) return {known->second, false};
  return {worlds_.emplace(text, promise.get_future().share()).first->second, true};
}

}  // namespace neuralts
