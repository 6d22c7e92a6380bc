// A process among several that share a journal: ships its spool, takes up what the others publish, and stands
// for learning.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <thread>

#include "serve/log.hpp"
#include "serve/node/shipper.hpp"
#include "serve/node/spool_journal.hpp"
#include "serve/service.hpp"

namespace neuralts::serve {

struct NodeOptions {
  std::string address;             ///< of the shared journal; empty: this process is alone
  std::string name;                ///< of the node, the same after a restart
  bool answer_after_spool = true;  ///< false: after the shared journal's commit
  bool synchronous = true;
};

class Node {
 public:
  /// `spool`: the node's own journal. Throws Error: the shared journal is away, and the spool has never met
  /// it.
  Node(const NodeOptions& options, Journal& spool, const Clock& clock, Entropy& entropy, const Log& log);
  ~Node();

  /// Where the service keeps its records.
  Journal& journal() { return spool_journal_ ? static_cast<Journal&>(*spool_journal_) : *shared_; }
  void configure(ServiceOptions& options) const;
  /// From now on it ships, follows and stands. `service` is used until stop().
  void start(Service& service);
  /// Hands on what the spool still holds, for a few seconds at most.
  void ship_rest();
  /// Gives learning up, and ends its threads.
  void stop();

 private:
  void ship_until_stopped(const std::stop_token& stop);
  void follow_until_stopped(const std::stop_token& stop);
  void stand_until_stopped(const std::stop_token& stop);
  bool ship();
  nlohmann::json shipped() const;
  nlohmann::json backlog() const;
  void take_number(const std::string& spool, Sequence shipped);
  void take_another_number(const NumberTaken& why);

  const Log& log_;
  std::string name_;
  Journal& spool_;
  Entropy& entropy_;
  const bool answer_after_spool_;
  std::unique_ptr<SharedJournal> shared_;
  std::atomic<std::uint16_t> writer_{0};
  std::unique_ptr<SpoolJournal> spool_journal_;
  std::unique_ptr<Shipper> shipper_;
  Service* service_ = nullptr;
  std::jthread shipping_, following_, standing_;
};

}  // namespace neuralts::serve
