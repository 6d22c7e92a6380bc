// What other processes that share the journal have changed.
#include <fmt/format.h>

#include <algorithm>

#include "serve/model_file.hpp"
#include "serve/service.hpp"
#include "serve/stored_loop.hpp"

namespace neuralts::serve {

namespace {

/// The newest model, when it is not the one that serves.
void take_model(Journal& journal, Loop& loop) {
  const auto models = journal.models(loop.id());
  if (models.empty() || models.front().version <= loop.published()->version) return;
  const auto newest = journal.model(loop.id(), models.front().version);
  if (!newest) return;
  auto published =
      std::make_shared<Published>(model_from_bytes(newest->bytes, fmt::format("model {}", newest->version)));
  published->version = newest->version;
  published->position = newest->position;
  loop.learner.published_us = newest->time_us;
  if (loop.published()->version < newest->version) loop.publish(std::move(published));
}

}  // namespace

void Service::refresh() {
  {
    const std::lock_guard lock(admin_mutex_);
    refresh_loops();
  }
  for (const auto& [name, runtime] : *loops()) take_model(journal_, runtime->loop);
}

void Service::set_learning(bool learning) {
  if (learning && !learning_)
    for (const auto& [name, runtime] : *loops()) runtime->resume = true;
  learning_ = learning;
}

Service::Change Service::begin_change() {
  Change change{std::unique_lock(admin_mutex_), nullptr};
  if (!options_.several) return change;
  change.everywhere = journal_.turn();
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
  loops_ = std::shared_ptr<const Loops>(std::move(changed));
}

}  // namespace neuralts::serve
