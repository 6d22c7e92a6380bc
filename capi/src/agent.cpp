#include "handles.hpp"

using namespace neuralts;
using namespace neuralts::capi;

namespace {

void select(neuralts_agent* agent, const Contexts& contexts, neuralts_decision* out) {
  neuralts_decision& place = given(out, "out");
  place = seen(given(agent, "agent").agent.select(contexts));
}

void hand_out_agent(neuralts_agent** out, Agent agent) {
  hand_out(out, std::make_unique<neuralts_agent>(neuralts_agent{std::move(agent)}));
}

std::vector<Finished> finished(const double* contexts, std::size_t rounds, std::size_t length,
                               const std::uint32_t* blocks, const double* rewards, const double* weights) {
  const auto values = numbers(contexts, cells(rounds, length), "contexts");
  const auto earned = numbers(rewards, rounds, "rewards");
  std::vector<Finished> all;
  all.reserve(rounds);
  for (std::size_t i = 0; i < rounds; ++i)
    all.push_back({.context = {values.subspan(i * length, length), blocks == nullptr ? 0 : blocks[i]},
                   .reward = earned[i],
                   .weight = weights == nullptr ? 1 : weights[i]});
  return all;
}

}  // namespace

extern "C" {

neuralts_status neuralts_agent_create(const char* policy, const char* preset, const char* params,
                                      size_t length, size_t blocks, uint64_t seed, neuralts_agent** out) {
  return guarded(__func__, [&] {
    PolicySpec spec = spec_of(policy, preset, params, seed);
    spec.shape = {.length = length, .blocks = blocks};
    hand_out_agent(out, Agent(spec));
  });
}

neuralts_status neuralts_agent_select(neuralts_agent* agent, const double* contexts, size_t arms, size_t length,
                                      neuralts_decision* out) {
  return guarded(__func__, [&] { select(agent, rows_of(contexts, arms, length), out); });
}

neuralts_status neuralts_agent_select_shared(neuralts_agent* agent, const double* x, size_t length,
                                             const uint32_t* blocks, size_t arms, neuralts_decision* out) {
  return guarded(__func__, [&] { select(agent, shared_of(x, length, blocks, arms), out); });
}

neuralts_status neuralts_agent_played(neuralts_agent* agent, const double* context, size_t length, size_t block) {
  return guarded(__func__, [&] {
    given(agent, "agent").agent.policy().played({numbers(context, length, "context"), block});
  });
}

neuralts_status neuralts_agent_learn(neuralts_agent* agent, const double* context, size_t length,
                                     size_t block, double reward, double weight) {
  return guarded(__func__, [&] {
    const Finished round{
        .context = {numbers(context, length, "context"), block}, .reward = reward, .weight = weight};
    given(agent, "agent").agent.learn({&round, 1});
  });
}

neuralts_status neuralts_agent_learn_batch(neuralts_agent* agent, const double* contexts, size_t rounds,
                                           size_t length, const uint32_t* blocks, const double* rewards,
                                           const double* weights) {
  return guarded(__func__, [&] {
    given(agent, "agent").agent.learn(finished(contexts, rounds, length, blocks, rewards, weights));
  });
}

neuralts_status neuralts_agent_publish(const neuralts_agent* agent, neuralts_model** out) {
  return guarded(__func__, [&] {
    auto model = given(agent, "agent").agent.policy().publish();
    hand_out(out, std::make_unique<neuralts_model>(neuralts_model{std::move(model)}));
  });
}

neuralts_status neuralts_agent_save(const neuralts_agent* agent, const char* path) {
  return guarded(__func__, [&] { given(agent, "agent").agent.save(text(path, "path")); });
}

neuralts_status neuralts_agent_load(const char* path, neuralts_agent** out) {
  return guarded(__func__, [&] { hand_out_agent(out, Agent::load(text(path, "path"))); });
}

neuralts_status neuralts_agent_to_bytes(const neuralts_agent* agent, neuralts_bytes** out) {
  return guarded(__func__, [&] { hand_out(out, bytes_of(given(agent, "agent").agent.to_bytes())); });
}

neuralts_status neuralts_agent_from_bytes(const void* data, size_t size, neuralts_agent** out) {
  return guarded(__func__, [&] {
    const auto bytes = numbers(static_cast<const char*>(data), size, "data");
    hand_out_agent(out, Agent::from_bytes(bytes, "bytes"));
  });
}

void neuralts_agent_free(neuralts_agent* agent) { delete agent; }
}
