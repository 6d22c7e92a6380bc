#include "serve/server.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "serve/standing_back.hpp"
#include "serve/thread_role.hpp"

namespace neuralts::serve {

namespace {

constexpr std::int64_t commit_wait_us = 1'000'000;
// Batches start no faster than this, so that a sync serves several calls; slower where it serves many.
constexpr std::int64_t commit_pace_us = 200, busy_pace_us = 300;
constexpr std::size_t busy_records = 4;  // of a batch
constexpr std::int64_t forget_us = 60'000'000, try_us = 5'000'000;
constexpr auto learner_pause = std::chrono::milliseconds(10);  // it runs at its own pace, and batches
constexpr auto failure_pause = std::chrono::milliseconds(500);

const std::string& made(const std::string& folder) {
  make_folder(folder);
  return folder;
}

}  // namespace

Server::Server(const ServerOptions& options)
    : options_(options),
      placement_(std::make_shared<const Placement>(options.http.threads)),
      log_(clock_, options.log),
      lock_(made(options.folder)),
      own_journal_(options.folder, options.journal),
      node_(options.node.address.empty()
                ? nullptr
                : std::make_unique<Node>(options.node, own_journal_, clock_, entropy_, log_)),
      journal_(node_ ? node_->journal() : own_journal_) {
  if (node_) node_->configure(options_.service);
  service_ = std::make_unique<Service>(options_.service, journal_, clock_, entropy_, log_);
  for (std::size_t i = 0; i < std::max<std::size_t>(1, options.http.threads); ++i)
    workers_.push_back(service_->make_worker());
  http_ = std::make_unique<HttpServer>(
      options.http,
      [this](const Request& request, std::size_t worker, Reply reply) {
        service_->handle(request, *workers_[worker], std::move(reply));
      },
      [this](int status) { service_->metrics().responded(status); }, placement_);
  service_->committer().after_batch([this] { http_->flush(); });
  service_->set_background([this](std::function<void()> work) {
    if (background_.joinable()) background_.join();  // the last one is done: there is one at a time
    background_ = std::thread([this, work = std::move(work)] {
      placement_->anywhere();
      work();
      http_->flush();
    });
  });
  service_->on_loop([this](std::shared_ptr<LoopRuntime> runtime) {
    const std::lock_guard lock(learning_mutex_);
    const auto learn = [this, runtime](const std::stop_token& stop) {
      placement_->anywhere();
      learn_until_stopped(*runtime, stop);
    };
    learning_.push_back({runtime, std::jthread(learn)});
  });
  committing_ = std::jthread([this](const std::stop_token& stop) { commit_until_stopped(stop); });
  if (node_) node_->start(*service_);
  http_->start();
  log_.info("started", {{"port", port()}, {"folder", options.folder}, {"records", journal_.info().last}});
}

Server::~Server() { stop(); }

void Server::commit_until_stopped(const std::stop_token& stop) {
  name_thread("commit");
  take_turns(Turn::moment);
  sleep_exactly();
  PlaceWatch watch({.take = [this] { return placement_->committer(); },
                    .leave = [this] { placement_->anywhere(); },
                    .changes = [this] { return placement_->exchanges(); }});
  std::int64_t next_forget_us = clock_.ticks_us() + forget_us, next_try_us = 0;
  while (true) {
    const std::int64_t start_us = clock_.ticks_us();
    watch.look();
    if (service_->commit_step()) {
      const bool busy = service_->committer().last_batch() >= busy_records;
      const std::int64_t left_us = start_us + (busy ? busy_pace_us : commit_pace_us) - clock_.ticks_us();
      if (left_us > 0) std::this_thread::sleep_for(std::chrono::microseconds(left_us));
      continue;
    }
    if (stop.stop_requested()) return;
    if (clock_.ticks_us() >= next_forget_us) {
      next_forget_us = clock_.ticks_us() + forget_us;
      try {
        service_->forget_old();
      } catch (const Error& error) {
        log_.error("segments not dropped", {{"why", error.what()}});
      }
    }
    if (clock_.ticks_us() >= next_try_us) {
      next_try_us = clock_.ticks_us() + try_us;
      service_->try_again();
    }
    service_->committer().wait(commit_wait_us);
  }
}

void Server::learn_until_stopped(LoopRuntime& runtime, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any pause;
  const auto rest = [&](auto duration) {
    std::unique_lock lock(mutex);
    pause.wait_for(lock, stop, duration, [] { return false; });
  };
  run_standing_back("learn", [&](ShareMeter& meter) {
    if (stop.stop_requested() || runtime.loop.deleted) return false;
    try {
      meter.begin();
      const bool more = service_->learn_step(runtime, stop);
      meter.end();
      if (!more) rest(learner_pause);
    } catch (const std::exception& error) {
      ++runtime.loop.learner.failures;
      log_.error("learner failed", {{"loop", runtime.loop.name()}, {"why", error.what()}});
      rest(failure_pause);
    }
    return true;
  });
  try {
    if (!runtime.loop.deleted && service_->learning()) runtime.learner->flush();
  } catch (const std::exception& error) {
    log_.error("learner failed", {{"loop", runtime.loop.name()}, {"why", error.what()}});
  }
}

void Server::stop() {
  if (stopped_) return;
  stopped_ = true;
  log_.info("stopping", {});
  http_->drain(5);
  service_->stop_taking();  // an evaluation, too, ends now
  committing_.request_stop();
  service_->committer().wake();
  committing_.join();
  if (background_.joinable()) background_.join();
  http_->stop();
  if (node_) node_->ship_rest();
  {
    const std::lock_guard lock(learning_mutex_);
    for (auto& learning : learning_) learning.thread.request_stop();
    learning_.clear();
  }
  if (node_) node_->stop();
  log_.info("stopped", {{"records", journal_.info().last}});
}

void Server::reload() {
  try {
    service_->access().reload();
    http_->reload_certificate();
    log_.info("reloaded", {});
  } catch (const Error& error) {
    log_.error("not reloaded", {{"why", error.what()}});
  }
}

}  // namespace neuralts::serve
