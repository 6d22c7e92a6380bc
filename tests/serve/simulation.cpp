#include "simulation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <nlohmann/json.hpp>
#include <set>

#include "serve/journal/sqlite_journal.hpp"
#include "serve/model_file.hpp"
#include "serve/service.hpp"
#include "sim_disk.hpp"
#include "sim_oracle.hpp"

namespace neuralts::serve {

namespace {

using nlohmann::json;

/// What a client wants, and how far it is.
struct Wish {
  enum class Stage { rank, activate, reward, done };
  Stage stage = Stage::rank;
  std::string loop, name, id;            // name: the caller's own id, or empty
  bool deferred = false, rewarded = false;
  double value = 0;
  std::int64_t next_us = 0;              // when it is sent (again)
  std::string action;
  double probability = 0;
};

struct Message {
  std::int64_t at_us = 0;
  std::size_t wish = 0;
  Wish::Stage stage = Wish::Stage::rank;
  bool answer = false;
  int status = 0;
  std::string target, body;
};

class World {
 public:
  explicit World(std::uint64_t seed)
      : chance_(seed, Purpose::environment, 3), disk_(seed), entropy_(seed), log_(clock_, {}) {
    journal_options_.vfs = disk_.name();
    journal_options_.segment_us_max = 2'000'000 + static_cast<std::int64_t>(chance_.below(60'000'000));
    options_.pending_max = 64;
    options_.batch_max = 16;
    options_.default_loop.policy = "linear-ts";
    options_.default_loop.window_us = 5'000'000;
    options_.default_loop.publish_seconds = 0.2;
    options_.default_loop.checkpoint_seconds = 1;
    options_.default_loop.aggregation = chance_.below(3) == 0 ? Aggregation::sum : Aggregation::earliest;
    start();
  }

  void step() {
    switch (chance_.below(20)) {
      case 0: case 1: case 2: case 3: return clients();
      case 4: case 5: case 6: case 7: case 8: return network();
      case 9: case 10: case 11: return commit();
      case 12: case 13: case 14: return learn();
      case 15: case 16: return clock_.pass(static_cast<std::int64_t>(chance_.below(300'000)));
      case 17: return misfortune();
      default: return deliver_soon();
    }
  }

  SimulationReport finish() {
    heal();
    check_acknowledged();
    for (const auto& [name, runtime] : *service_->loops()) {
      check_join(*journal_, *runtime);
      check_decisions(runtime->loop.id());
      check_replay(*journal_, *runtime, clock_, log_, chance_);
    }
    report_.records = journal_->info().last;
    return report_;
  }

  SimulationReport report_;

 private:
  void start() {
    try {
      journal_ = std::make_unique<SqliteJournal>("j", journal_options_);
      service_ = std::make_unique<Service>(options_, *journal_, clock_, entropy_, log_);
      worker_ = service_->make_worker();
      if (service_->loops()->size() == 1) make_objects_loop();
    } catch (const JournalError&) {
      ++report_.refused;
      kill(false);
    }
  }

  void make_objects_loop() {
    const std::string config =
        R"({"policy":"linear-ucb","features":{"events":8,"automatic":true},"holdout":0,"reward":{"window_seconds":5,"default":null},"publish_seconds":0.3,"checkpoint_seconds":1})";
    service_->handle({"PUT", "/v1/loops/objects", config, "application/json", ""}, *worker_, [&](Answer&& answer) {
      if (answer.status != 201 && answer.status != 503) throw Broken("loop not made: " + answer.body);
    });
  }

  void kill(bool power) {
    if (power)
      disk_.lose_power();
    else
      disk_.kill_process();
    service_.reset();
    journal_.reset();
    if (power) disk_.restore_power();
    disk_.fail_after(0);
    disk_.limit(~std::uint64_t{0});
  }

  void clients() {
    if (wishes_.size() < 400 && chance_.below(2) == 0) wish();
    if (wishes_.empty()) return;
    for (int tries = 0; tries < 3; ++tries) {
      const std::size_t i = chance_.below(wishes_.size());
      Wish& wish = wishes_[i];
      if (wish.stage == Wish::Stage::done || wish.next_us > clock_.ticks) continue;
      // Without an id of its own it cannot ask again.
      if (wish.stage == Wish::Stage::rank && wish.name.empty() && asked_.count(i) > 0) {
        wish.stage = Wish::Stage::done;
        continue;
      }
      asked_.insert(i);
      send(i);
      wish.next_us = clock_.ticks + 200'000 + static_cast<std::int64_t>(chance_.below(400'000));
    }
  }

  void wish() {
    Wish& wish = wishes_.emplace_back();
    wish.loop = chance_.below(3) == 0 ? "objects" : "default";
    if (chance_.below(2) == 0) wish.name = fmt::format("w{}", wishes_.size());
    wish.deferred = chance_.below(5) == 0;
    wish.rewarded = chance_.below(10) < 7;
    wish.value = static_cast<double>(chance_.below(5)) / 4;
  }

  std::string rank_body(const Wish& wish) {
    Stream features(std::hash<std::string>()(wish.name) ^ wishes_.size(), Purpose::data_order);
    json actions = json::array();
    for (int k = 0; k < 3; ++k) {
      json action = {{"id", fmt::format("a{}", k)}};
      if (wish.loop == "objects")
        action["features"] = {{"price", features.uniform()}, {"colour", features.below(2) == 0 ? "red" : "blue"}};
      else
        action["vector"] = {1.0, features.uniform(), features.uniform() - k};
      actions.push_back(action);
    }
    json body = {{"actions", actions}, {"context", {{"hour", features.below(24)}}}, {"defer", wish.deferred}};
    if (!wish.name.empty()) body["event_id"] = wish.name;
    return body.dump();
  }

  void send(std::size_t i) {
    Wish& wish = wishes_[i];
    Message message;
    message.wish = i;
    message.stage = wish.stage;
    if (wish.stage == Wish::Stage::rank) {
      message.target = "/v1/loops/" + wish.loop + "/rank";
      message.body = rank_body(wish);
    } else {
      message.target = fmt::format("/v1/events/{}/{}?loop={}", wish.id,
                                   wish.stage == Wish::Stage::reward ? "reward" : "activate", wish.loop);
      if (wish.stage == Wish::Stage::reward) message.body = json{{"value", wish.value}, {"key", "k"}}.dump();
    }
    travel(std::move(message));
  }

  /// Lost, doubled, late, out of order.
  void travel(Message message) {
    const auto luck = chance_.below(20);
    if (luck == 0) return;
    for (int copies = luck == 1 ? 2 : 1; copies > 0; --copies) {
      message.at_us = clock_.ticks + static_cast<std::int64_t>(chance_.below(luck == 2 ? 3'000'000 : 50'000));
      messages_.push_back(message);
    }
  }

  void network() {
    if (messages_.empty()) return;
    const std::size_t i = chance_.below(messages_.size());
    if (messages_[i].at_us > clock_.ticks) return;
    Message message = std::move(messages_[i]);
    messages_[i] = std::move(messages_.back());
    messages_.pop_back();
    if (message.answer) return receive(message);
    if (!service_) return;
    // A reply that outlives its process goes nowhere.
    service_->handle({"POST", message.target, message.body, "application/json", ""}, *worker_,
                     [this, wish = message.wish, stage = message.stage](Answer&& answer) {
                       Message back;
                       back.wish = wish;
                       back.stage = stage;
                       back.answer = true;
                       back.status = answer.status;
                       back.body = std::move(answer.body);
                       travel(std::move(back));
                     });
  }

  void deliver_soon() {
    for (int i = 0; i < 5; ++i) network();
  }

  void receive(const Message& message) {
    const bool no_loop = message.status == 404 && message.stage == Wish::Stage::rank;  // its making was refused
    if (message.status == 429 || message.status == 503 || no_loop) {
      ++report_.refused;
      return;
    }
    if (message.status == 404 && message.stage != Wish::Stage::rank)
      throw Broken("an acknowledged event is unknown: " + message.body);
    if (message.status != 200) throw Broken(fmt::format("status {}: {}", message.status, message.body));
    Wish& wish = wishes_[message.wish];
    const json body = json::parse(message.body);
    if (message.stage == Wish::Stage::rank) {
      if (!wish.id.empty() && !wish.name.empty() && wish.action != body.at("action"))
        throw Broken("two answers for one event: " + wish.action + " and " + body.at("action").get<std::string>());
      if (wish.stage != Wish::Stage::rank) return;
      wish.id = body.at("event_id");
      wish.action = body.at("action");
      wish.probability = body.at("probability");
      ++report_.events;
      wish.stage = wish.deferred && chance_.below(3) > 0 ? Wish::Stage::activate
                   : wish.rewarded                       ? Wish::Stage::reward
                                                         : Wish::Stage::done;
      wish.next_us = clock_.ticks +
                     static_cast<std::int64_t>(chance_.below(chance_.below(6) == 0 ? 9'000'000 : 1'000'000));
    } else if (message.stage == Wish::Stage::activate) {
      if (wish.stage == Wish::Stage::activate) wish.stage = wish.rewarded ? Wish::Stage::reward : Wish::Stage::done;
      activated_.insert(wish.id);
    } else {
      if (wish.stage == Wish::Stage::reward) {
        wish.stage = Wish::Stage::done;
        ++report_.rewards;
      }
      rewarded_[wish.id] = wish.value;
    }
  }

  void commit() {
    if (service_) service_->commit_step();
  }

  void learn() {
    if (!service_) return;
    const auto loops = service_->loops();
    auto at = loops->begin();
    std::advance(at, static_cast<std::ptrdiff_t>(chance_.below(loops->size())));
    try {
      service_->learn_step(*at->second, {});
    } catch (const JournalError&) {
      ++report_.refused;
    }
  }

  void misfortune() {
    if (!service_) return start();
    switch (chance_.below(12)) {
      case 0: ++report_.kills, kill(false), start(); return;
      case 1: ++report_.power_losses, kill(true), start(); return;
      case 2: ++report_.power_losses, disk_.lose_power_after(1 + chance_.below(20)); return;
      case 3: ++report_.faults, disk_.fail_after(1 + chance_.below(15)); return;
      case 4: ++report_.full, disk_.limit(disk_.used() + chance_.below(20000)); return;
      case 5: disk_.limit(~std::uint64_t{0}); return;
      case 6: clock_.now += static_cast<std::int64_t>(chance_.below(4'000'000)) - 2'000'000; return;
      case 7: clock_.pass(static_cast<std::int64_t>(chance_.below(3'000'000))); return;
      default:
        if (!disk_.powered()) kill(true), start();
    }
  }

  void heal() {
    disk_.fail_after(0);
    disk_.lose_power_after(0);
    if (!service_ || !disk_.powered() || chance_.below(2) == 0) kill(!disk_.powered());
    disk_.limit(~std::uint64_t{0});
    for (int tries = 0; !service_ && tries < 5; ++tries) start();
    if (!service_) throw Broken("does not start on a sound disk");
    while (service_->commit_step()) {
    }
    clock_.now = std::max<std::int64_t>(clock_.now, 1'700'000'000'000'000) + 3'600'000'000;
    clock_.ticks += 3'600'000'000;
    for (int round = 0; round < 3; ++round)
      for (const auto& [name, runtime] : *service_->loops()) {
        while (service_->learn_step(*runtime, {})) {
        }
        while (service_->commit_step()) {
        }
      }
    for (const auto& [name, runtime] : *service_->loops()) runtime->learner->flush();
  }

  void check_acknowledged() {
    std::map<std::string, EventRecord> events;          // by the id that the answer had
    std::map<Sequence, std::string> ids;
    std::map<std::string, std::vector<double>> rewards;
    std::set<std::string> activated;
    std::map<std::string, Sequence> by_name;
    for (const auto& [name, runtime] : *service_->loops())
      for (const Record& record : records_of(*journal_, runtime->loop.id())) {
        if (record.kind == Kind::event) {
          const std::string id = service_->signer().text({0, record.sequence});
          events[id] = decode_event(record.payload);
          ids[record.sequence] = id;
        }
        if (record.kind == Kind::reward)
          rewards[ids.at(record.target)].push_back(decode_reward(record.payload).value);
        if (record.kind == Kind::activation && !activated.insert(ids.at(record.target)).second)
          throw Broken("activated twice");
      }
    for (const auto& [id, values] : rewards)
      if (values.size() != 1) throw Broken("a reward stands twice in the journal");
    for (const Wish& wish : wishes_) {
      if (wish.id.empty()) continue;
      const std::string id = wish.name.empty() ? wish.id : id_of_name(wish);
      const auto found = events.find(id);
      if (found == events.end()) throw Broken("an acknowledged event is lost: " + wish.id);
      const EventRecord& event = found->second;
      if (event.ids[event.chosen] != wish.action) throw Broken("an event's action changed");
      if (std::abs(event.probabilities[event.chosen] - wish.probability) > 1e-6)
        throw Broken("an event's probability changed");
      const auto paid = rewarded_.find(wish.id);
      if (paid != rewarded_.end() && (rewards[id].size() != 1 || rewards[id][0] != paid->second))
        throw Broken("an acknowledged reward is lost");
      if (activated_.count(wish.id) > 0 && activated.count(id) == 0)
        throw Broken("an acknowledged activation is lost");
    }
  }

  /// Asks again with the same name: the answer is the first one's, so the journal tells where it is.
  std::string id_of_name(const Wish& wish) {
    Entry probe;
    probe.loop = service_->loops()->find(wish.loop)->second->loop.id();
    probe.name = wish.name;
    probe.payload = "none";
    journal_->append({&probe, 1}, clock_.now);
    if (probe.outcome != Outcome::duplicate) throw Broken("an acknowledged event is lost: " + wish.name);
    return service_->signer().text({0, probe.sequence});
  }

  void check_decisions(std::uint32_t loop) {
    std::map<std::uint64_t, Published> models;
    for (const auto& listed : journal_->models(loop)) {
      const auto stored = journal_->model(loop, listed.version);
      if (sha256_hex(stored->bytes) != stored->sha256) throw Broken("a model's bytes changed");
      models[listed.version] = model_from_bytes(stored->bytes, "model");
      ++report_.models;
    }
    models[0] = {};
    Workspace workspace;
    Verdict verdict;
    Offered offered;
    for (const Record& record : records_of(*journal_, loop)) {
      if (record.kind != Kind::event) continue;
      const EventRecord event = decode_event(record.payload);
      const auto model = models.find(event.model);
      if (model == models.end()) continue;
      offered_from(event, offered);
      decide(model->second, offered, 0.02, event.seed, workspace, verdict);
      if (verdict.action != event.preferred || verdict.probabilities != event.probabilities)
        throw Broken(fmt::format("event {} is not what model {} and its seed say", record.sequence, event.model));
      ++report_.recomputed;
    }
  }

  Stream chance_;
  SimDisk disk_;
  SimClock clock_;
  SeededEntropy entropy_;
  Log log_;
  SqliteOptions journal_options_;
  ServiceOptions options_;
  std::unique_ptr<SqliteJournal> journal_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<Worker> worker_;
  std::vector<Wish> wishes_;
  std::set<std::size_t> asked_;
  std::vector<Message> messages_;
  std::map<std::string, double> rewarded_;
  std::set<std::string> activated_;
};

}  // namespace

SimulationReport simulate(std::uint64_t seed, std::size_t steps) { return history_of<World>(seed, steps); }

}  // namespace neuralts::serve
