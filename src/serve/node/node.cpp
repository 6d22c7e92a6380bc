#include "serve/node/node.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <nlohmann/json.hpp>

#include "base/whole_number.hpp"
#include "serve/journal/shared_door.hpp"
#include "serve/thread_role.hpp"

namespace neuralts::serve {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t parcels_at_once = 2048;
constexpr milliseconds ship_pause{20}, stand_pause{1000}, failure_pause{500};
constexpr int follow_ms = 2000;
constexpr auto rest_max = std::chrono::seconds(3);
constexpr const char* writer_key = "node/writer";
constexpr const char* spool_key = "node/spool";

void rest(const std::stop_token& stop, milliseconds duration) {
  std::mutex mutex;
  std::condition_variable_any pause;
  std::unique_lock lock(mutex);
  pause.wait_for(lock, stop, duration, [] { return false; });
}

/// A folder that was made anew is another writer, whatever the node is called: its sequences begin at 1
/// again.
std::string make_spool_id(Journal& spool, Entropy& entropy) {
  const std::string id = fmt::format("{:016x}", entropy.bits64());
  spool.put_setting(spool_key, id);
  return id;
}

std::string spool_id(Journal& spool, Entropy& entropy) {
  const auto id = spool.get_setting(spool_key);
  return id ? *id : make_spool_id(spool, entropy);
}

/// Nothing where it is damaged, too: the shared journal knows it by the spool's id.
std::optional<std::uint16_t> known_writer(Journal& spool) {
  const auto text = spool.get_setting(writer_key);
  return text ? parse_whole<std::uint16_t>(*text) : std::nullopt;
}

}  // namespace

Node::Node(const NodeOptions& options, Journal& spool, const Clock& clock, Entropy& entropy, const Log& log)
    : log_(log),
      name_(options.name),
      spool_(spool),
      entropy_(entropy),
      answer_after_spool_(options.answer_after_spool) {
  const auto known = options.answer_after_spool ? known_writer(spool) : std::nullopt;
  shared_ = open_shared_journal(options.address, {options.synchronous, !known}, entropy.bits64());
  if (!options.answer_after_spool) return;
  if (known) writer_ = *known;
  shipper_ = std::make_unique<Shipper>(spool, *shared_, writer_);
  if (!known) take_number(spool_id(spool, entropy), 0);
  spool_journal_ = std::make_unique<SpoolJournal>(spool, *shared_, clock, writer_);
  try {
    shipper_->look();
  } catch (const NumberTaken& why) {
    take_another_number(why);
  } catch (const JournalError&) {  // it is away: the shipper will ask
  }
}

void Node::take_number(const std::string& spool, Sequence shipped) {
  writer_ = shared_->writer(name_ + "/" + spool, shipped);
  spool_.put_setting(writer_key, std::to_string(writer_));
  shipper_->go_on_as(writer_);
}

/// What it has acknowledged and nobody else can have sent goes under another number.
void Node::take_another_number(const NumberTaken& why) {
  take_number(make_spool_id(spool_, entropy_), shipper_->own());
  spool_journal_->go_on_as(writer_);
  if (service_ != nullptr) service_->go_on_as(writer_);
  log_.error("goes on under another number",
             {{"why", why.what()}, {"writer", writer_.load()}, {"after", shipper_->own()}});
}

Node::~Node() { stop(); }

void Node::configure(ServiceOptions& options) const {
  options.several = true;
  options.writer = writer_;
  options.node = name_;
  if (!answer_after_spool_) options.acknowledged = "shared";
}

void Node::start(Service& service) {
  service_ = &service;
  service.set_node_state([this] {
    nlohmann::json state = {{"name", name_}, {"learns", service_->learning()}};
    if (shipper_)
      state["writer"] = writer_.load(), state["shipped"] = shipped(), state["backlog"] = backlog();
    return state.dump();
  });
  if (shipper_) shipping_ = std::jthread([this](const std::stop_token& stop) { ship_until_stopped(stop); });
  following_ = std::jthread([this](const std::stop_token& stop) { follow_until_stopped(stop); });
  standing_ = std::jthread([this](const std::stop_token& stop) { stand_until_stopped(stop); });
}

/// Nothing where the shared journal has not told yet.
nlohmann::json Node::shipped() const {
  return shipper_->met() ? nlohmann::json(shipper_->shipped()) : nullptr;
}
nlohmann::json Node::backlog() const {
  return shipper_->met() ? nlohmann::json(shipper_->backlog()) : nullptr;
}

bool Node::ship() try {
  const bool more = shipper_->step(parcels_at_once);
  spool_journal_->set_shipped(shipper_->shipped(), shipper_->shipped_us());
  return more;
} catch (const NumberTaken& why) {
  take_another_number(why);
  return true;
}

void Node::ship_until_stopped(const std::stop_token& stop) {
  name_thread("ship");
  bool away = false;
  while (!stop.stop_requested()) {
    try {
      const bool more = ship();
      if (away) log_.info("shipping again", {{"backlog", backlog()}});
      away = false;
      if (!more) rest(stop, ship_pause);
    } catch (const std::exception& error) {
      if (!away) log_.error("not shipped", {{"why", error.what()}, {"backlog", backlog()}});
      away = true;
      rest(stop, failure_pause);
    }
  }
}

void Node::follow_until_stopped(const std::stop_token& stop) {
  name_thread("follow");
  bool away = false;
  while (!stop.stop_requested()) {
    try {
      shared_->wait_for_change(follow_ms);
      service_->refresh();
      if (const std::size_t dropped = spool_journal_ ? spool_journal_->drop_shared() : 0; dropped > 0)
        log_.info("segments dropped", {{"count", dropped}});
      away = false;
    } catch (const std::exception& error) {
      if (!away) log_.error("the shared journal is away", {{"why", error.what()}});
      away = true;
      rest(stop, failure_pause);
    }
  }
}

void Node::stand_until_stopped(const std::stop_token& stop) {
  name_thread("stand");
  while (!stop.stop_requested()) {
    const bool leads = shared_->lead();
    if (leads != service_->learning())
      log_.info(leads ? "learns from now on" : "learns no more", {{"node", name_}});
    if (spool_journal_) spool_journal_->set_learning(leads);
    service_->set_learning(leads);
    rest(stop, stand_pause);
  }
}

void Node::ship_rest() {
  if (!shipper_) return;
  shipping_.request_stop();
  if (shipping_.joinable()) shipping_.join();
  const auto end = std::chrono::steady_clock::now() + rest_max;
  try {
    while (shipper_->backlog() > 0 && std::chrono::steady_clock::now() < end) ship();
  } catch (const std::exception& error) {
    log_.error("not shipped", {{"why", error.what()}, {"backlog", backlog()}});
  }
}

void Node::stop() {
  for (std::jthread* thread : {&shipping_, &following_, &standing_}) thread->request_stop();
  for (std::jthread* thread : {&shipping_, &following_, &standing_})
    if (thread->joinable()) thread->join();
  shared_->resign();
}

}  // namespace neuralts::serve
