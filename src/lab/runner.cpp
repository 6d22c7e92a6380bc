// One run at a time, from a specification to its record.
#include <future>
#include <mutex>
#include <unordered_map>

#include "lab/machine.hpp"
#include "neuralts/lab.hpp"
#include "neuralts/version.hpp"

namespace neuralts {

/// Each world is read once, by the first thread that needs it; the others wait for that thread.
struct Runner::Worlds {
 public:
  Worlds(std::string data_dir, const GivenWorlds& given) : data_dir_(std::move(data_dir)) {
    for (const auto& [name, world] : given) {
      std::promise<std::shared_ptr<const Environment>> there;
      there.set_value(world);
      worlds_.emplace(name, there.get_future().share());
    }
  }

  std::shared_ptr<const Environment> get(const std::string& text) {
    std::promise<std::shared_ptr<const Environment>> promise;
    auto [world, mine] = find(text, promise);
    if (mine) try {
        promise.set_value(make_environment(text, data_dir_));
      } catch (...) {
        promise.set_exception(std::current_exception());
      }
    return world.get();
  }

 private:
  using World = std::shared_future<std::shared_ptr<const Environment>>;
  std::pair<World, bool> find(const std::string& text, std::promise<std::shared_ptr<const Environment>>& promise) {
    const std::lock_guard guard(mutex_);
    if (const auto known = worlds_.find(text); known != worlds_.end()) return {known->second, false};
    return {worlds_.emplace(text, promise.get_future().share()).first->second, true};
  }
  std::string data_dir_;
  std::mutex mutex_;
  std::unordered_map<std::string, World> worlds_;
};

namespace {

Record blank_record(const RunSpec& spec) {
  Record record;
  record.spec = spec;
  record.version = version();
  record.cpu = this_machine().cpu;
  record.cores = this_machine().cores;
  return record;
}

}  // namespace

Runner::Runner(std::string data_dir, const GivenWorlds& worlds) : worlds_(std::make_unique<Worlds>(std::move(data_dir), worlds)) {}
Runner::~Runner() = default;

Record Runner::operator()(const RunSpec& spec, const RunHooks& hooks) {
  Record record = blank_record(spec);
  try {
    record.result = run(*worlds_->get(spec.env), spec, hooks);
  } catch (const Error& problem) {
    if (problem.code() == ErrorCode::bad_spec) throw;  // a typing error of the whole experiment, not a failure of this run
    record.error = problem.what();
  } catch (const std::exception& problem) {
    record.error = problem.what();
  }
  return record;
}

}  // namespace neuralts
