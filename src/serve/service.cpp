#include "serve/service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "serve/service_call.hpp"
#include "serve/turn.hpp"

namespace neuralts::serve {

namespace {

using nlohmann::json;

constexpr const char* secret_key = "secret";
constexpr std::int64_t shared_tick_us = 1'000'000;
constexpr std::size_t records_at_once = 64;  // of a step: also where a processor is scarce it ends soon

std::string loop_key(std::uint32_t id) { return fmt::format("{}{:010}", Service::loop_prefix, id); }

/// A tick: whether it was stored shows when the learner reads on.
struct Unwatched final : Submission {
  void done(std::unique_ptr<Submission>, const JournalError*) override {}
};

std::string make_secret(Entropy& entropy) {
  std::string secret;
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t bits = entropy.bits64();
    secret.append(reinterpret_cast<const char*>(&bits), sizeof bits);
  }
  return secret;
}

}  // namespace

Service::Service(const ServiceOptions& options, Journal& journal, const Clock& clock, Entropy& entropy,
                 const Log& log)
    : options_(options),
      journal_(journal),
      clock_(clock),
      entropy_(entropy),
      log_(log),
      access_(options.tokens),
      committer_(journal, clock, options.pending_max, options.batch_max),
      loops_(std::make_shared<const Loops>()),
      learning_(!options.several),
      writer_(options.writer),
      started_us_(clock.now_us()) {
  const auto turn = journal_.turn();  // of several that start at once, one makes the secret and the first loop
  auto secret = journal_.get_setting(secret_key);
  if (!secret) {
    require_turn(options_.several, turn);
    secret = make_secret(entropy_);
    journal_.put_setting(secret_key, *secret);
  }
  signer_ = std::make_unique<IdSigner>(*secret);
  committer_.observe([this](std::size_t entries, std::int64_t took_us) {
    metrics_.committed(entries, static_cast<double>(took_us) / 1e6);
  });
  refresh_loops();
  if (!loops_.load()->empty()) return;
  require_turn(options_.several, turn);
  create_loop("default", options_.default_loop);
}

Service::~Service() = default;

std::unique_ptr<Worker> Service::make_worker() {
  return std::make_unique<Worker>(options_.body, entropy_.bits64());
}

std::shared_ptr<LoopRuntime> Service::add_loop(std::uint32_t id, const std::string& name,
                                               std::deque<LoopConfig> revisions) {
  auto runtime = std::make_shared<LoopRuntime>(id, name, std::move(revisions), metrics_.loop(name));
  runtime->learner = std::make_unique<LoopLearner>(runtime->loop, journal_, clock_, log_);
  auto changed = std::make_shared<Loops>(*loops_.load());
  (*changed)[name] = runtime;
  loops_.store(std::move(changed));
  if (on_loop_) on_loop_(runtime);
  return runtime;
}

std::shared_ptr<LoopRuntime> Service::create_loop(const std::string& name, const LoopConfig& config) {
  if (loops_.load()->size() >= options_.loops_max)
    throw Problem(409, "loop", fmt::format("there are {} loops already", options_.loops_max));
  const std::uint32_t id = next_loop_++;
  store_loop(Loop(id, name, {config}), false);
  log_.info("loop created", {{"loop", name}, {"policy", config.policy}});
  return add_loop(id, name, {config});
}

void Service::store_loop(const Loop& loop, bool deleted) {
  json stored = {{"id", loop.id()}, {"name", loop.name()}, {"deleted", deleted}, {"pinned", loop.pinned.load()}};
  stored["revisions"] = json::array();
  for (const auto& revision : loop.revisions()) stored["revisions"].push_back(json::parse(to_json(revision)));
  journal_.put_setting(loop_key(loop.id()), stored.dump());
}

/// Stored first: an event never names a revision that a crash could lose.
void Service::reconfigure(Loop& loop, const LoopConfig& config) {
  if (loop.current()->config == config) return;
  auto revisions = loop.revisions();
  revisions.push_back(config);
  Loop changed(loop.id(), loop.name(), std::move(revisions));
  changed.pinned = loop.pinned.load();
  store_loop(changed, false);
  loop.add_revision(config);
  log_.info("loop changed", {{"loop", loop.name()}, {"policy", config.policy}, {"mode", name_of(config.mode)}});
}

void Service::on_loop(std::function<void(std::shared_ptr<LoopRuntime>)> hook) {
  on_loop_ = std::move(hook);
  for (const auto loops = loops_.load(); const auto& [name, runtime] : *loops) on_loop_(runtime);
}

std::shared_ptr<LoopRuntime> Service::find(std::string_view name) const {
  const auto loops = loops_.load();
  const auto found = loops->find(name);
  if (found == loops->end())
    throw Problem(404, "loop",
                  fmt::format("there is no loop '{}': make it with PUT /v1/loops/{}", name.substr(0, 64),
                              name.substr(0, 64)));
  return found->second;
}

std::shared_ptr<LoopRuntime> Service::find(std::uint32_t id) const {
  for (const auto loops = loops_.load(); const auto& [name, runtime] : *loops)
    if (runtime->loop.id() == id) return runtime;
  return nullptr;
}

bool Service::learn_step(LoopRuntime& runtime, const std::stop_token& stop) {
  if (!learning_) return false;
  if (runtime.resume.exchange(false)) runtime.learner->resume();
  const bool more = runtime.learner->step(records_at_once, stop);
  if (options_.several && clock_.ticks_us() >= runtime.next_share_us) share_numbers(runtime);
  if (more) return true;
  const std::int64_t now_us = options_.several ? clock_.now_us() : committer_.record_time_us();
  if (!stop.stop_requested() && clock_.ticks_us() >= runtime.next_tick_us && runtime.learner->tick_due(now_us)) {
    // What several write gets no time that the shared journal's own clock has not reached, and comes when it is shipped.
    if (options_.several) runtime.next_tick_us = clock_.ticks_us() + shared_tick_us;
    submit_tick(runtime.loop.id());
  }
  return false;
}

void Service::submit_tick(std::uint32_t loop) {
  Entry tick;
  tick.kind = Kind::tick;
  tick.loop = loop;
  std::unique_ptr<Submission> submission = std::make_unique<Unwatched>();
  submission->entries.push_back(std::move(tick));
  committer_.submit(submission);
}

bool Service::ready() { return !stopping_ && !journal_.info().failed; }

void Service::try_again() {
  if (journal_.info().failed && committer_.pending() == 0) submit_tick(0);
}

void Service::forget_old() {
  std::int64_t days = 0;
  bool forever = false;
  for (const auto loops = loops_.load(); const auto& [name, runtime] : *loops) {
    const std::int64_t wanted = runtime->loop.current()->config.retention_days;
    forever = forever || wanted < 0;
    days = std::max(days, wanted);
  }
  const std::int64_t before_us = forever ? 0 : clock_.now_us() - (days + 1) * 86'400'000'000;
  const std::size_t dropped = journal_.drop_before(before_us);
  if (dropped > 0) log_.info("segments dropped", {{"count", dropped}});
}

Answer answer_of(const JournalError& error, bool personalizer) {
  const bool full = error.why() == JournalError::Why::full;
  return answer_of(
      Problem(503, "", full ? "the disk is full: nothing was stored" : "the disk failed: nothing was stored"),
      personalizer);
}

}  // namespace neuralts::serve
