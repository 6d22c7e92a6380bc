// One policy, many Python threads: selecting shares it, learning has it alone, and Python's lock is let go meanwhile.
#pragma once

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "bind.hpp"
#include "neuralts/agent.hpp"

namespace neuralts::python {

/// Every call REQUIRES the GIL, gives it back while it works and holds it again when it returns.
class SharedPolicy {
 public:
  explicit SharedPolicy(Agent agent) : agent_(std::move(agent)) {}

  /// Chooses with the policy's own stream and marks the choice as played.
  Decision choose(const Contexts& contexts);
  /// Chooses with the caller's stream; changes nothing else.
  Decision choose(const Contexts& contexts, Stream& stream) const;
  void played(const Slice& context);
  void learn(std::span<const Finished> rounds);

  const PolicySpec& spec() const { return agent_.policy().spec(); }
  const Params& resolved() const { return agent_.policy().resolved(); }
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

  mutable std::shared_mutex mutex_;
  Agent agent_;
};

/// A stream of decisions of its own from a policy that others use too.
class Selector {
 public:
  Selector(std::shared_ptr<const SharedPolicy> policy, std::uint64_t seed) : policy_(std::move(policy)), stream_(seed, Purpose::exploration) {}
  Decision choose(const Contexts& contexts);
  const Shape& shape() const { return policy_->spec().shape; }

 private:
  std::shared_ptr<const SharedPolicy> policy_;
  std::mutex mutex_;
  Stream stream_;
};

}  // namespace neuralts::python
