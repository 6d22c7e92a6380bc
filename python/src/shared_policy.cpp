#include "shared_policy.hpp"

namespace neuralts::python {

namespace {

Scratch& thread_scratch() {
  thread_local Scratch scratch;
  return scratch;
}

}  // namespace

Decision SharedPolicy::choose(const Contexts& contexts) {
  const Writing alone(mutex_);
  Decision decision;
  agent_.policy().select(contexts, agent_.stream(), thread_scratch(), decision);
  agent_.policy().played(contexts[decision.arm]);
  return decision;
}

Decision SharedPolicy::choose(const Contexts& contexts, Stream& stream) const {
  const Reading shared(mutex_);
  Decision decision;
  agent_.policy().select(contexts, stream, thread_scratch(), decision);
  return decision;
}

void SharedPolicy::played(const Slice& context) {
  const Writing alone(mutex_);
  agent_.policy().played(context);
}

void SharedPolicy::learn(std::span<const Finished> rounds) {
  const Writing alone(mutex_);
  agent_.learn(rounds);
}

std::vector<std::string> SharedPolicy::notes() const {
  const Reading shared(mutex_);
  return agent_.policy().notes();
}

std::size_t SharedPolicy::memory() const {
  const Reading shared(mutex_);
  return agent_.policy().memory();
}

std::vector<char> SharedPolicy::bytes() const {
  const Reading shared(mutex_);
  return agent_.to_bytes();
}

void SharedPolicy::save(const std::string& path) const {
  const Reading shared(mutex_);
  agent_.save(path);
}

Decision Selector::choose(const Contexts& contexts) {
  {
    const py::gil_scoped_release no_gil;
    mutex_.lock();
  }
  const std::lock_guard<std::mutex> lock(mutex_, std::adopt_lock);
  return policy_->choose(contexts, stream_);
}

}  // namespace neuralts::python
