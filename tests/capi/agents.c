#include <math.h>
#include <string.h>

#include "check.h"

/* Three arms, two numbers each; arm 1 is worth 1, the others 0. */
static const double contexts[] = {1, 0, 0, 1, 0.5, -0.5};
static double worth(size_t arm) { return arm == 1 ? 1 : 0; }

static neuralts_agent* agent_of(const char* policy, const char* params) {
  neuralts_agent* agent = NULL;
  OK(neuralts_agent_create(policy, NULL, params, 2, 1, 7, &agent));
  CHECK(agent != NULL);
  return agent;
}

static void play(neuralts_agent* agent, int rounds) {
  neuralts_decision d;
  int t;
  for (t = 0; t < rounds; ++t) {
    OK(neuralts_agent_select(agent, contexts, 3, 2, &d));
    OK(neuralts_agent_learn(agent, contexts + 2 * d.arm, 2, 0, worth(d.arm), 1.0));
  }
}

static void probabilities_are_a_distribution_and_learning_moves_it(void) {
  neuralts_agent* agent = agent_of("linear-ts", "nu=0.3");
  neuralts_decision d;
  OK(neuralts_agent_select(agent, contexts, 3, 2, &d));
  CHECK(d.arms == 3 && d.arm < 3);
  CHECK(fabs(d.probabilities[0] + d.probabilities[1] + d.probabilities[2] - 1) < 1e-9);
  CHECK(d.probability == d.probabilities[d.arm] && d.probability > 0);
  CHECK(d.probabilities[1] < 0.9); /* nothing was learned yet */
  play(agent, 60);
  OK(neuralts_agent_select(agent, contexts, 3, 2, &d));
  CHECK(d.probabilities[1] > 0.95);
  CHECK(fabs(d.mean[1] - 1) < 0.1 && d.width[1] > 0);
  neuralts_agent_free(agent);
}

/* Ridge regression with weight w is the round seen w times. */
static void a_weight_counts_a_round_that_often(void) {
  neuralts_agent *twice = agent_of("linear-ts", NULL), *weighted = agent_of("linear-ts", NULL), *batch = agent_of("linear-ts", NULL);
  const double two_rows[] = {0.3, 0.8, 0.3, 0.8}, rewards[] = {1, 1};
  neuralts_decision a, b, c;
  OK(neuralts_agent_learn(twice, two_rows, 2, 0, 1, 1));
  OK(neuralts_agent_learn(twice, two_rows, 2, 0, 1, 1));
  OK(neuralts_agent_learn(weighted, two_rows, 2, 0, 1, 2));
  OK(neuralts_agent_learn_batch(batch, two_rows, 2, 2, NULL, rewards, NULL));
  OK(neuralts_agent_select(twice, contexts, 3, 2, &a));
  OK(neuralts_agent_select(weighted, contexts, 3, 2, &b));
  OK(neuralts_agent_select(batch, contexts, 3, 2, &c));
  CHECK(a.mean[1] > 0.1);
  CHECK(fabs(a.mean[1] - b.mean[1]) < 1e-12 && fabs(a.mean[1] - c.mean[1]) < 1e-12);
  neuralts_agent_free(twice);
  neuralts_agent_free(weighted);
  neuralts_agent_free(batch);
}

static void continues_equally(neuralts_agent* a, neuralts_agent* b) {
  int t;
  for (t = 0; t < 20; ++t) {
    neuralts_decision x, y;
    OK(neuralts_agent_select(a, contexts, 3, 2, &x));
    OK(neuralts_agent_select(b, contexts, 3, 2, &y));
    CHECK(x.arm == y.arm);
    CHECK(memcmp(x.probabilities, y.probabilities, 3 * sizeof(double)) == 0);
    CHECK(memcmp(x.mean, y.mean, 3 * sizeof(double)) == 0);
    OK(neuralts_agent_learn(a, contexts + 2 * x.arm, 2, 0, worth(x.arm), 1));
    OK(neuralts_agent_learn(b, contexts + 2 * y.arm, 2, 0, worth(y.arm), 1));
  }
}

static void saved_and_loaded_continues_bit_for_bit(const char* folder) {
  char path[4096];
  neuralts_agent *agent = agent_of("neural-ts", "units=8"), *from_file = NULL, *from_bytes = NULL;
  neuralts_bytes* bytes = NULL;
  snprintf(path, sizeof path, "%s/agent.nts", folder);
  play(agent, 30);
  OK(neuralts_agent_save(agent, path));
  OK(neuralts_agent_load(path, &from_file));
  OK(neuralts_agent_to_bytes(agent, &bytes));
  OK(neuralts_agent_from_bytes(neuralts_bytes_data(bytes), neuralts_bytes_size(bytes), &from_bytes));
  CHECK(neuralts_bytes_size(bytes) > 100);
  neuralts_bytes_free(bytes);
  continues_equally(agent, from_file);
  neuralts_agent_free(agent);
  OK(neuralts_agent_load(path, &agent));
  continues_equally(agent, from_bytes);
  neuralts_agent_free(agent);
  neuralts_agent_free(from_file);
  neuralts_agent_free(from_bytes);
}

/* Arms with blocks of their own: what is learned of one says nothing of another. */
static void arms_share_a_context_in_blocks(void) {
  const double x[] = {1, 0.5};
  const uint32_t some[] = {2, 0};
  neuralts_agent* agent = NULL;
  neuralts_decision d;
  int t;
  OK(neuralts_agent_create("linear-ts", "paper", NULL, 2, 3, 1, &agent));
  for (t = 0; t < 50; ++t) OK(neuralts_agent_learn(agent, x, 2, 2, 1, 1));
  OK(neuralts_agent_select_shared(agent, x, 2, NULL, 3, &d));
  CHECK(d.arms == 3 && d.mean[2] > 0.9 && d.mean[0] == 0 && d.mean[1] == 0);
  OK(neuralts_agent_select_shared(agent, x, 2, some, 2, &d));
  CHECK(d.arms == 2 && d.mean[0] > 0.9 && d.mean[1] == 0);
  CHECK(neuralts_agent_select_shared(agent, x, 2, NULL, 4, &d) == NEURALTS_BAD_ARGUMENT);
  neuralts_agent_free(agent);
}

void check_agents(const char* folder) {
  probabilities_are_a_distribution_and_learning_moves_it();
  a_weight_counts_a_round_that_often();
  saved_and_loaded_continues_bit_for_bit(folder);
  arms_share_a_context_in_blocks();
}
