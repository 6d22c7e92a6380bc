// What every learner promises (include/neuralts/learner.hpp): its models decide as it would, wherever and
// whenever it trains.
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "model/train.hpp"
#include "policy/candidates.hpp"
#include "policy/small_world.hpp"

namespace neuralts {
namespace {

std::vector<Decision> ask(const SmallWorld& world, const auto& decides, std::size_t rounds = 6) {
  std::vector<Decision> answers(rounds);
  Stream explore(9, Purpose::exploration);
  Scratch scratch;
  for (std::size_t i = 0; i < rounds; ++i) {
    std::vector<double> numbers;
    decides.select(world.contexts(100 + i, numbers), explore, scratch, answers[i]);
  }
  return answers;
}

class LearnerConformance : public testing::TestWithParam<Candidate> {
 protected:
  std::unique_ptr<Policy> make(const SmallWorld& world) const { return make_policy(GetParam().spec(world.shape)); }
};

TEST_P(LearnerConformance, APublishedModelDecidesAsThePolicyAndStaysAsItIs) {
  for (const SmallWorld& world : {per_arm_world, disjoint_world}) {
    const auto policy = make(world);
    Player player(world);
    player.play(*policy, 17);
    const auto model = policy->publish();
    const auto said = ask(world, *policy);
    EXPECT_TRUE(ask(world, *model) == said);
    player.play(*policy, 12);
    EXPECT_TRUE(ask(world, *model) == said);
    EXPECT_TRUE(ask(world, *policy->publish()) == ask(world, *policy));
  }
}

TEST_P(LearnerConformance, AModelGoesThroughItsBytes) {
  const auto policy = make(disjoint_world);
  Player(disjoint_world).play(*policy, 19);
  const auto model = policy->publish();
  const auto bytes = model_to_bytes(*model);
  const auto read = model_from_bytes(bytes, "test");
  EXPECT_EQ(read->resolved(), policy->resolved());
  EXPECT_TRUE(ask(disjoint_world, *read) == ask(disjoint_world, *policy));
  EXPECT_EQ(model_to_bytes(*read), bytes);
}

// Plays a run in which the learner works on a thread of its own and the decisions come from the models it
// publishes.
std::vector<Decision> play_apart(Learner& learner, const SmallWorld& world, std::size_t rounds,
                                 const Training& how) {
  std::vector<Decision> decisions(rounds);
  Stream explore(1, Purpose::exploration);
  Scratch scratch;
  for (std::size_t i = 0; i < rounds; ++i) {
    std::vector<double> numbers;
    const Contexts contexts = world.contexts(i, numbers);
    const auto model = learner.publish();
    model->select(contexts, explore, scratch, decisions[i]);
    const Slice context = contexts[decisions[i].arm];
    const Finished round{context, world.reward(context)};
    std::thread([&] {
      learner.played(context);
      learner.observe(std::span(&round, 1));
      learner.train(how);
    }).join();
  }
  return decisions;
}

std::vector<Decision> play_inline(Policy& policy, const SmallWorld& world, std::size_t rounds) {
  std::vector<Decision> decisions(rounds);
  Stream explore(1, Purpose::exploration);
  Scratch scratch;
  for (std::size_t i = 0; i < rounds; ++i) {
    std::vector<double> numbers;
    const Contexts contexts = world.contexts(i, numbers);
    policy.select(contexts, explore, scratch, decisions[i]);
    const Slice context = contexts[decisions[i].arm];
    const Finished round{context, world.reward(context)};
    policy.played(context);
    policy.learn(std::span(&round, 1));
  }
  return decisions;
}

TEST_P(LearnerConformance, LearningOnAnotherThreadGivesTheSameBitsThreads) {
  const auto policy = make(disjoint_world);
  const auto learner = make_learner(GetParam().spec(disjoint_world.shape));
  EXPECT_TRUE(play_apart(*learner, disjoint_world, 16, {.threads = 3}) == play_inline(*policy, disjoint_world, 16));
  Writer state;
  learner->save(state);
  EXPECT_EQ(state.bytes(), state_of(*policy));
}

// An engine that asks for a stop after a while: what train() was interrupted by, at the latest possible moment.
class Interrupted final : public TrainEngine {
 public:
  bool train(std::span<TrainJob> jobs, const Training& how) override {
    std::stop_source source;
    source.request_stop();
    Training stopped = how;
    stopped.stop = source.get_token();
    return processor_engine().train(jobs, stopped);
  }
};

TEST_P(LearnerConformance, AStoppedTrainingHasNotTakenPlace) {
  const auto whole = make_learner(GetParam().spec(disjoint_world.shape)),
             stopped = make_learner(GetParam().spec(disjoint_world.shape));
  Interrupted interrupted;
  for (std::size_t i = 0; i < 24; ++i) {
    std::vector<double> numbers;
    const Contexts contexts = disjoint_world.contexts(i, numbers);
    const Finished round{contexts[i % 3], disjoint_world.reward(contexts[i % 3])};
    whole->observe(std::span(&round, 1));
    stopped->observe(std::span(&round, 1));
    const auto before = ask(disjoint_world, stopped->current(), 2);
    if (stopped->training_due() && !stopped->train({.engine = &interrupted})) {
      EXPECT_TRUE(stopped->training_due());
      EXPECT_TRUE(ask(disjoint_world, stopped->current(), 2) == before);
    }
    whole->train();
    stopped->train();
    Writer a, b;
    whole->save(a);
    stopped->save(b);
    ASSERT_EQ(a.bytes(), b.bytes()) << "after round " << i;
  }
}

// A learner saved while a training is due goes on as if it had not been saved.
TEST_P(LearnerConformance, ContinuesFromADueTraining) {
  const auto first = make_learner(GetParam().spec(disjoint_world.shape));
  for (std::size_t i = 0; i < 15; ++i) {
    std::vector<double> numbers;
    const Contexts contexts = disjoint_world.contexts(i, numbers);
    const Finished round{contexts[i % 3], disjoint_world.reward(contexts[i % 3])};
    first->observe(std::span(&round, 1));
    if (i % 2 == 0) first->train();
  }
  Writer saved;
  first->save(saved);
  const auto second = make_learner(GetParam().spec(disjoint_world.shape));
  Reader in(saved.bytes(), "test");
  second->restore(in);
  EXPECT_EQ(first->training_due(), second->training_due());
  first->train();
  second->train();
  EXPECT_TRUE(ask(disjoint_world, first->current()) == ask(disjoint_world, second->current()));
}

INSTANTIATE_TEST_SUITE_P(All, LearnerConformance, testing::ValuesIn(candidates()), candidate_name);

}  // namespace
}  // namespace neuralts
