// One policy, many Python threads: selecting shares it, learning has it alone, and Python's lock is let go
// meanwhile.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "bind.hpp"
#include "neuralts/agent.hpp"
#include "neuralts/session.hpp"

namespace neuralts::python {

/// A policy over numbers (an agent) or over objects (a session); what belongs to the other kind is a ContractError.
/// Every call REQUIRES the GIL, gives it back while it works and holds it again when it returns.
class SharedPolicy {
 public:
  explicit SharedPolicy(Agent agent) : agent_(std::make_unique<Agent>(std::move(agent))) {}
  explicit SharedPolicy(Session session) : session_(std::make_unique<Session>(std::move(session))) {}
  /// Either, as its bytes say.
  static std::shared_ptr<SharedPolicy> from_bytes(std::span<const char> bytes, const std::string& where);

  /// Chooses with the policy's own stream and marks the choice as played.
  Decision choose(const Contexts& contexts);
  /// Chooses with the caller's stream; changes nothing else.
  Decision choose(const Contexts& contexts, Stream& stream) const;
  void offered(const Contexts& contexts);
  void played(const Slice& context);
  void learn(std::span<const Finished> rounds);

  bool takes_objects() const { return session_ != nullptr; }
  Choice choose(const FieldTable& objects, double time, const std::string& event_id);
  Settled reward(const std::string& event_id, double reward, double time);
  std::size_t expire(double now, double after, std::optional<double> reward);
  Explanation explain(const FieldTable& objects, std::size_t arm) const;
  FitReport fit(const std::string& log, const FitOptions& options);
  bool retire(const std::string& arm);
  void log_to(std::shared_ptr<LogWriter> log);
  std::size_t open() const;
  std::vector<std::string> arm_names() const;
  /// Nothing before there is one.
  std::optional<Schema> schema() const;
  bool frozen() const;

  const PolicySpec& spec() const { return session_ ? session_->spec().policy : agent_->policy().spec(); }
  /// A context's shape; throws ContractError for a policy over objects.
  const Shape& shape() const { return agent().policy().spec().shape; }
  Params resolved() const;
  std::vector<std::string> notes() const;
  std::size_t memory() const;
  std::vector<char> bytes() const;
  void save(const std::string& path) const;

 private:
  // The GIL goes first and comes back last, so that nobody waits for one lock while holding the other.
  template <class Lock>
  struct Alone {
    explicit Alone(std::shared_mutex& mutex) : lock(mutex) {}
    py::gil_scoped_release no_gil;
    Lock lock;
  };
  using Reading = Alone<std::shared_lock<std::shared_mutex>>;
  using Writing = Alone<std::unique_lock<std::shared_mutex>>;

  Agent& agent() const;
  Session& session() const;

  mutable std::shared_mutex mutex_;
  std::unique_ptr<Agent> agent_;
  std::unique_ptr<Session> session_;
};

/// A stream of decisions of its own from a policy that others use too.
class Selector {
 public:
  Selector(std::shared_ptr<const SharedPolicy> policy, std::uint64_t seed)
      : policy_(std::move(policy)), stream_(seed, Purpose::exploration) {}
  Decision choose(const Contexts& contexts);
  const Shape& shape() const { return policy_->shape(); }

 private:
  std::shared_ptr<const SharedPolicy> policy_;
  std::mutex mutex_;
  Stream stream_;
};

}  // namespace neuralts::python
