// What other processes that share the journal have changed.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "serve/model_file.hpp"
#include "serve/service.hpp"
#include "serve/stored_loop.hpp"
#include "serve/turn.hpp"

namespace neuralts::serve {

namespace {

using nlohmann::json;

// Of the settings in which the process that learns tells the others its numbers.
constexpr const char* numbers_prefix = "numbers/";
constexpr std::int64_t share_us = 5'000'000;

json state_of(const LearnerState& learner) {
  return {{"position", learner.position.load()},       {"position_us", learner.position_us.load()},
          {"learned", learner.learned.load()},         {"waiting", learner.waiting.load()},
          {"published", learner.published.load()},     {"refused", learner.refused.load()},
          {"checkpoints", learner.checkpoints.load()}, {"failures", learner.failures.load()},
          {"training_us", learner.training_us.load()}};
}

void take_state(const json& told, LearnerState& learner) {
  learner.position = told.at("position").get<Sequence>();
  learner.position_us = told.at("position_us").get<std::int64_t>();
  learner.training_us = told.at("training_us").get<std::int64_t>();
  for (auto& [name, number] :
       {std::pair{"learned", &learner.learned}, std::pair{"waiting", &learner.waiting},
        std::pair{"published", &learner.published}, std::pair{"refused", &learner.refused},
        std::pair{"checkpoints", &learner.checkpoints}, std::pair{"failures", &learner.failures}})
    *number = told.at(name).get<std::uint64_t>();
}

/// The newest model, when it is not the one that serves.
void take_model(Journal& journal, Loop& loop) {
  const auto models = journal.models(loop.id());
  if (models.empty() || models.front().version <= loop.published()->version) return;
  const auto newest = journal.model(loop.id(), models.front().version);
  if (!newest) return;
  auto published = stored_model(*newest);
  loop.learner.published_us = newest->time_us;
  if (loop.published()->version < newest->version) loop.publish(std::move(published));
}

}  // namespace

void Service::refresh() {
  {
    const std::lock_guard lock(admin_mutex_);
    refresh_loops();
  }
  for (const auto all = loops(); const auto& [name, runtime] : *all) take_model(journal_, runtime->loop);
  if (!learning_) take_numbers();
}

/// Numbers are for looking at: where they cannot be told, the next ones will.
void Service::share_numbers(LoopRuntime& runtime) {
  runtime.next_share_us = clock_.ticks_us() + share_us;
  const json told = {{"node", options_.node},
                     {"learner", state_of(runtime.loop.learner)},
                     {"stats", json::parse(runtime.loop.stats())}};
  try {
    journal_.put_setting(fmt::format("{}{}", numbers_prefix, runtime.loop.id()), told.dump());
  } catch (const JournalError& error) {
    log_.error("numbers not told", {{"loop", runtime.loop.name()}, {"why", error.what()}});
  }
}

void Service::take_numbers() {
  for (const auto& [key, value] : journal_.settings(numbers_prefix)) {
    const auto runtime = find(
        static_cast<std::uint32_t>(std::stoul(key.substr(std::string_view(numbers_prefix).size()))));
    if (!runtime) continue;
    json told = json::parse(value);
    take_state(told.at("learner"), runtime->loop.learner);
    told.at("stats")["learner_node"] = told.at("node");
    runtime->loop.set_stats(told.at("stats").dump());
  }
}

void Service::set_learning(bool learning) {
  if (learning && !learning_)
    for (const auto all = loops(); const auto& [name, runtime] : *all) runtime->resume = true;
  learning_ = learning;
}

Service::Change Service::begin_change() {
  Change change{std::unique_lock(admin_mutex_), nullptr};
  if (!options_.several) return change;
  change.everywhere = journal_.turn();
  require_turn(true, change.everywhere);
  refresh_loops();
  return change;
}

void Service::refresh_loops() {
  for (auto& [key, value] : journal_.settings(loop_prefix)) {
    std::string& known = stored_loops_[key];
    if (known == value) continue;
    take_loop(value);
    known = std::move(value);
  }
}

void Service::take_loop(const std::string& text) {
  StoredLoop stored = stored_loop_from_json(text);
  next_loop_ = std::max(next_loop_, stored.id + 1);
  auto runtime = find(stored.id);
  if (stored.deleted) return runtime ? forget_loop(runtime) : void();
  if (!runtime) {
    runtime = add_loop(stored.id, stored.name, std::move(stored.revisions));
  } else {
    for (std::size_t i = runtime->loop.revisions().size(); i < stored.revisions.size(); ++i)
      runtime->loop.add_revision(stored.revisions[i]);
  }
  runtime->loop.pinned = stored.pinned;
}

void Service::forget_loop(const std::shared_ptr<LoopRuntime>& runtime) {
  runtime->loop.deleted = true;
  auto changed = std::make_shared<Loops>(*loops());
  changed->erase(runtime->loop.name());
  loops_.store(std::move(changed));
}

}  // namespace neuralts::serve
