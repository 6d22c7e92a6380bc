#include "node_simulation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "sim_node.hpp"
#include "sim_oracle.hpp"

namespace neuralts::serve {

namespace {

using nlohmann::json;

/// What a client wants, and how far it is.
struct Wish {
  enum class Stage { rank, activate, reward, done };
  Stage stage = Stage::rank;
  std::size_t node = 0;                      // where it asks
  std::string name, id, action;              // name: the caller's own id, or empty
  bool deferred = false, rewarded = false, asked = false, paid = false, activated = false;
  double value = 0, probability = 0;
  std::int64_t next_us = 0;
};

struct Message {
  std::int64_t at_us = 0;
  std::size_t wish = 0, node = 0;
  Wish::Stage stage = Wish::Stage::rank;
  bool answer = false;
  int status = 0;
  std::string target, body;
};

class NodeWorld {
 public:
  explicit NodeWorld(std::uint64_t seed) : chance_(seed, Purpose::environment, 5) {
    const std::size_t count = 2 + chance_.below(2);
    for (std::size_t i = 0; i < count; ++i) nodes_.push_back(std::make_unique<SimNode>(engine_, seed, i + 1));
    for (auto& node : nodes_) node->start();
  }

  void step() {
    SimNode& node = *nodes_[chance_.below(nodes_.size())];
    switch (chance_.below(24)) {
      case 0: case 1: case 2: return clients();
      case 3: case 4: case 5: case 6: case 7: case 8: return network();
      case 9: case 10: case 11: if (node.service) node.service->commit_step(); return;
      case 12: case 13: if (node.service) node.ship(); return;
      case 14: case 15: case 16: return learn(node);
      case 17: if (node.service && node.stand()) ++report_.elections; return;
      case 18: if (node.service) node.tried([&] { node.service->refresh(); }); return;
      case 19: case 20: return pass(static_cast<std::int64_t>(chance_.below(200'000)));
      case 21: return misfortune(node);
      default: for (int i = 0; i < 5; ++i) network();
    }
  }

  NodeSimulationReport finish() {
    heal();
    check_acknowledged();
    SimNode& learner = *leader();
    for (const auto& [name, runtime] : *learner.service->loops()) {
      check_join(*learner.journal, *runtime);
      report_.learned += runtime->loop.learner.learned;
      check_replay(*learner.journal, *runtime, learner.clock, learner.log(), chance_);
    }
    report_.records = engine_.records.size();
    return report_;
  }

  NodeSimulationReport report_;

 private:
  void pass(std::int64_t us) {
    now_us_ += us;
    for (auto& node : nodes_) node->clock.pass(us);
  }

  void clients() {
    if (wishes_.size() < 300 && chance_.below(2) == 0) wish();
    for (int tries = 0; tries < 3 && !wishes_.empty(); ++tries) {
      const std::size_t i = chance_.below(wishes_.size());
      Wish& wish = wishes_[i];
      if (wish.stage == Wish::Stage::done || wish.next_us > now_us_) continue;
      // Without an id of its own it cannot ask again.
      if (wish.stage == Wish::Stage::rank && wish.name.empty() && wish.asked) {
        wish.stage = Wish::Stage::done;
        continue;
      }
      wish.asked = true;
      if (chance_.below(3) == 0) wish.node = chance_.below(nodes_.size());
      send(i);
      wish.next_us = now_us_ + 200'000 + static_cast<std::int64_t>(chance_.below(400'000));
    }
  }

  void wish() {
    Wish& wish = wishes_.emplace_back();
    if (chance_.below(2) == 0) wish.name = fmt::format("w{}", wishes_.size());
    wish.node = chance_.below(nodes_.size());
    wish.deferred = chance_.below(5) == 0;
    wish.rewarded = chance_.below(10) < 7;
    wish.value = static_cast<double>(chance_.below(5)) / 4;
  }

  void send(std::size_t i) {
    const Wish& wish = wishes_[i];
    Message message;
    message.wish = i;
    message.node = wish.node;
    message.stage = wish.stage;
    if (wish.stage == Wish::Stage::rank) {
      message.target = "/v1/loops/default/rank";
      json body = {{"defer", wish.deferred}};
      for (int k = 0; k < 3; ++k)
        body["actions"].push_back({{"id", fmt::format("a{}", k)},
                                   {"vector", {1.0, static_cast<double>(i % 7), static_cast<double>(k)}}});
      if (!wish.name.empty()) body["event_id"] = wish.name;
      message.body = body.dump();
    } else {
      const bool reward = wish.stage == Wish::Stage::reward;
      message.target = fmt::format("/v1/events/{}/{}?loop=default", wish.id, reward ? "reward" : "activate");
      if (reward) message.body = json{{"value", wish.value}, {"key", "k"}}.dump();
    }
    travel(std::move(message));
  }

  /// Lost, doubled, late, out of order.
  void travel(Message message) {
    const auto luck = chance_.below(20);
    if (luck == 0) return;
    for (int copies = luck == 1 ? 2 : 1; copies > 0; --copies) {
      message.at_us = now_us_ + static_cast<std::int64_t>(chance_.below(luck == 2 ? 3'000'000 : 50'000));
      messages_.push_back(message);
    }
  }

  void network() {
    if (messages_.empty()) return;
    const std::size_t i = chance_.below(messages_.size());
    if (messages_[i].at_us > now_us_) return;
    Message message = std::move(messages_[i]);
    messages_[i] = std::move(messages_.back());
    messages_.pop_back();
    if (message.answer) return receive(message);
    SimNode& node = *nodes_[message.node];
    if (!node.service) return;
    node.service->handle({"POST", message.target, message.body, "application/json", ""}, *node.worker,
                         [this, asked = message](Answer&& answer) mutable {
                           asked.answer = true;
                           asked.status = answer.status;
                           asked.body = std::move(answer.body);
                           travel(std::move(asked));
                         });
  }

  void receive(const Message& message) {
    if (message.status == 429 || message.status == 503) {
      ++report_.refused;
      return;
    }
    if (message.status != 200) throw Broken(fmt::format("status {}: {}", message.status, message.body));
    Wish& wish = wishes_[message.wish];
    const json body = json::parse(message.body);
    if (message.stage == Wish::Stage::activate) {
      wish.activated = true;
      if (wish.stage == Wish::Stage::activate) wish.stage = wish.rewarded ? Wish::Stage::reward : Wish::Stage::done;
    } else if (message.stage == Wish::Stage::reward) {
      report_.rewards += !wish.paid;
      wish.paid = true;
      wish.stage = Wish::Stage::done;
    } else if (wish.stage == Wish::Stage::rank) {
      wish.id = body.at("event_id");
      wish.action = body.at("action");
      wish.probability = body.at("probability");
      ++report_.events;
      report_.decided_while_cut += nodes_[message.node]->cut || engine_.down;
      wish.stage = wish.deferred && chance_.below(3) > 0 ? Wish::Stage::activate
                   : wish.rewarded                       ? Wish::Stage::reward
                                                         : Wish::Stage::done;
      wish.next_us = now_us_ +
                     static_cast<std::int64_t>(chance_.below(chance_.below(6) == 0 ? 9'000'000 : 1'000'000));
    }
  }

  void learn(SimNode& node) {
    if (!node.service) return;
    for (const auto& [name, runtime] : *node.service->loops())
      node.tried([&] { node.service->learn_step(*runtime, {}); });
  }

  void misfortune(SimNode& node) {
    if (!node.service) return node.start();
    switch (chance_.below(14)) {
      case 0: ++report_.kills, node.kill(false), node.start(); return;
      case 1: ++report_.power_losses, node.kill(true), node.start(); return;
      case 2: ++report_.power_losses, node.disk.lose_power_after(1 + chance_.below(20)); return;
      case 3: ++report_.faults, node.disk.fail_after(1 + chance_.below(15)); return;
      case 4: case 5: ++report_.cuts, node.cut = node.shared->cut = true; return;
      case 6: case 7: case 8: mend(node); return;
      case 9: ++report_.lost_answers, node.shared->answers_to_lose = 1; return;
      case 10: if (node.cut) node.shared->end_session(); return;   // the engine has noticed
      case 11: engine_.down = !engine_.down; return;
      case 12: node.clock.now += static_cast<std::int64_t>(chance_.below(2'000'000)) - 1'000'000; return;
      default:
        if (!node.disk.powered()) node.kill(true), node.start();
    }
  }

  void mend(SimNode& node) {
    if (node.cut && chance_.below(2) == 0) node.shared->end_session();
    node.cut = node.shared->cut = false;
    engine_.down = false;
  }

  SimNode* leader() {
    for (auto& node : nodes_)
      if (node->service->learning()) return node.get();
    throw Broken("nobody learns");
  }

  void heal() {
    engine_.down = false;
    for (auto& node : nodes_) {
      node->cut = false;
      node->disk.fail_after(0);
      node->disk.lose_power_after(0);
      if (!node->service || !node->disk.powered() || chance_.below(2) == 0) node->kill(!node->disk.powered());
      for (int tries = 0; !node->service && tries < 5; ++tries) node->start();
      if (!node->service) throw Broken("a node does not start on a sound disk: " + node->refusal);
      node->shared->cut = false;
      node->shared->answers_to_lose = 0;
      while (node->service->commit_step()) {
      }
    }
    for (int round = 0; round < 4; ++round) {  // ticks, too, have to be shipped and read
      pass(3'600'000'000);
      for (auto& node : nodes_) {
        if (node->stand()) ++report_.elections;
        node->service->refresh();
        while (node->service->commit_step()) {
        }
        while (node->shipper->backlog() > 0) node->shipper->step(100);
      }
      SimNode& learner = *leader();
      for (const auto& [name, runtime] : *learner.service->loops())
        while (learner.service->learn_step(*runtime, {})) {
        }
    }
    if (!engine_.waiting.empty()) throw Broken("a reward waits for an event that never came");
    for (const auto& [name, runtime] : *leader()->service->loops()) runtime->learner->flush();
  }

  void check_acknowledged() {
    std::map<Sequence, std::vector<double>> rewards;
    std::map<Sequence, int> activations;
    std::map<MergeOrigin, int> origins;
    for (const auto& stored : engine_.records) {
      const Record& record = stored.record;
      if (record.kind == Kind::reward) rewards[record.target].push_back(decode_reward(record.payload).value);
      if (record.kind == Kind::activation) ++activations[record.target];
      if (stored.origin != 0 && ++origins[{stored.writer, stored.origin}] > 1)
        throw Broken("a parcel was stored twice");
    }
    for (const auto& [event, values] : rewards)
      if (values.size() != 1) throw Broken("a reward stands twice in the journal");
    for (const auto& [event, count] : activations)
      if (count != 1) throw Broken("activated twice");
    for (const Wish& wish : wishes_) {
      if (wish.id.empty()) continue;
      const Sequence sequence = place_of(wish);
      const EventRecord event = decode_event(engine_.records[sequence - 1].record.payload);
      if (wish.name.empty() && event.ids[event.chosen] != wish.action) throw Broken("an event's action changed");
      if (wish.name.empty() && std::abs(event.probabilities[event.chosen] - wish.probability) > 1e-6)
        throw Broken("its probability changed");
      if (wish.paid && rewards[sequence] != std::vector<double>{wish.value})
        throw Broken("an acknowledged reward is lost");
      if (wish.activated && activations[sequence] != 1) throw Broken("an acknowledged activation is lost");
    }
  }

  Sequence place_of(const Wish& wish) {
    if (!wish.name.empty()) {
      const auto found = engine_.names.find({wish.name, 1});
      if (found == engine_.names.end()) throw Broken("an acknowledged event is lost: " + wish.name);
      return found->second;
    }
    const auto id = nodes_[0]->service->signer().parse(wish.id);
    if (!id) throw Broken("nodes do not know each other's ids");
    const auto found = engine_.origins.find({id->writer, id->sequence});
    if (found == engine_.origins.end()) throw Broken("an acknowledged event is lost: " + wish.id);
    return found->second;
  }

  Stream chance_;
  SimEngine engine_;
  std::vector<std::unique_ptr<SimNode>> nodes_;
  std::int64_t now_us_ = 0;
  std::vector<Wish> wishes_;
  std::vector<Message> messages_;
};

}  // namespace

NodeSimulationReport simulate_nodes(std::uint64_t seed, std::size_t steps) {
  return history_of<NodeWorld>(seed, steps);
}

}  // namespace neuralts::serve
