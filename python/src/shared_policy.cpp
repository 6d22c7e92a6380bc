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
  agent().policy().select(contexts, agent().stream(), thread_scratch(), decision);
  agent().policy().played(contexts, decision.arm);
  return decision;
}

Decision SharedPolicy::choose(const Contexts& contexts, Stream& stream) const {
  const Reading shared(mutex_);
  Decision decision;
  agent().policy().select(contexts, stream, thread_scratch(), decision);
  return decision;
}

void SharedPolicy::offered(const Contexts& contexts) {
  const Writing alone(mutex_);
  agent().policy().offered(contexts);
}

void SharedPolicy::played(const Slice& context) {
  const Writing alone(mutex_);
  agent().policy().played(context);
}

void SharedPolicy::learn(std::span<const Finished> rounds) {
  const Writing alone(mutex_);
  agent().learn(rounds);
}

std::vector<std::string> SharedPolicy::notes() const {
  const Reading shared(mutex_);
  return session_ ? session_->notes() : agent_->policy().notes();
}

std::size_t SharedPolicy::memory() const {
  const Reading shared(mutex_);
  if (!session_) return agent_->policy().memory();
  return session_->policy() != nullptr ? session_->policy()->memory() : 0;
}

Params SharedPolicy::resolved() const {
  const Reading shared(mutex_);
  if (!session_) return agent_->policy().resolved();
  return session_->policy() != nullptr ? session_->policy()->resolved()
                                       : make_policy(session_->spec().policy)->resolved();
}

std::vector<char> SharedPolicy::bytes() const {
  const Reading shared(mutex_);
  return session_ ? session_->to_bytes() : agent_->to_bytes();
}

void SharedPolicy::save(const std::string& path) const {
  const Reading shared(mutex_);
  session_ ? session_->save(path) : agent_->save(path);
}

std::shared_ptr<SharedPolicy> SharedPolicy::from_bytes(std::span<const char> bytes, const std::string& where) {
  if (Session::is_session(bytes)) return std::make_shared<SharedPolicy>(Session::from_bytes(bytes, where));
  return std::make_shared<SharedPolicy>(Agent::from_bytes(bytes, where));
}

Agent& SharedPolicy::agent() const {
  if (!agent_)
    throw ContractError(
        "this policy was made with features: it takes a dict and a list of actions, and learns by "
        "reward(event_id, ...)");
  return *agent_;
}

Session& SharedPolicy::session() const {
  if (!session_)
    throw ContractError(
        "this policy takes numbers: make it with features=\"auto\" to choose between objects");
  return *session_;
}

Choice SharedPolicy::choose(const FieldTable& objects, double time, const std::string& event_id) {
  const Writing alone(mutex_);
  return session().select(objects, time, event_id);
}

Settled SharedPolicy::reward(const std::string& event_id, double reward, double time) {
  const Writing alone(mutex_);
  return session().reward(event_id, reward, time);
}

std::size_t SharedPolicy::expire(double now, double after, std::optional<double> reward) {
  const Writing alone(mutex_);
  return session().expire(now, after, reward);
}

Explanation SharedPolicy::explain(const FieldTable& objects, std::size_t arm) const {
  const Reading shared(mutex_);
  return session().explain(objects, arm);
}

FitReport SharedPolicy::fit(const std::string& path, const FitOptions& options) {
  const Writing alone(mutex_);
  if (session_) return session_->fit(path, options);
  LogReader log(path, {.skip_bad = options.skip_bad, .only_rewarded = false});
  return neuralts::fit(agent_->policy(), log, options);
}

bool SharedPolicy::retire(const std::string& arm) {
  const Writing alone(mutex_);
  return session().retire(arm);
}

void SharedPolicy::log_to(std::shared_ptr<LogWriter> log) {
  const Writing alone(mutex_);
  session().log_to(std::move(log));
}

std::size_t SharedPolicy::open() const {
  const Reading shared(mutex_);
  return session().open();
}

std::vector<std::string> SharedPolicy::arm_names() const {
  const Reading shared(mutex_);
  return session().arms();
}

std::optional<Schema> SharedPolicy::schema() const {
  const Reading shared(mutex_);
  const Schema* schema = session().schema();
  return schema != nullptr ? std::optional(*schema) : std::nullopt;
}

bool SharedPolicy::frozen() const {
  const Reading shared(mutex_);
  return session().frozen();
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
