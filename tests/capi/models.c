#include <string.h>

#include "check.h"

static const double contexts[] = {1, 0, 0, 1};

static neuralts_agent* agent_that_knows(int rounds) {
  neuralts_agent* agent = NULL;
  int t;
  OK(neuralts_agent_create("neural-ts", NULL, "units=8", 2, 1, 11, &agent));
  for (t = 0; t < rounds; ++t) OK(neuralts_agent_learn(agent, contexts + 2 * (t % 2), 2, 0, t % 2, 1));
  return agent;
}

/* An agent and a decider of the same seed draw the same numbers. */
static void decides_as_its_agent(const neuralts_model* model, neuralts_agent* agent) {
  neuralts_decider* decider = NULL;
  int t;
  OK(neuralts_decider_create(11, &decider));
  for (t = 0; t < 20; ++t) {
    neuralts_decision ours, theirs;
    OK(neuralts_model_select(model, decider, contexts, 2, 2, &ours));
    OK(neuralts_agent_select(agent, contexts, 2, 2, &theirs));
    CHECK(ours.arm == theirs.arm && ours.probability == theirs.probability);
    CHECK(memcmp(ours.probabilities, theirs.probabilities, 2 * sizeof(double)) == 0);
    CHECK(memcmp(ours.width, theirs.width, 2 * sizeof(double)) == 0);
  }
  neuralts_decider_free(decider);
}

static double mean_of(const neuralts_model* model) {
  neuralts_decider* decider = NULL;
  neuralts_decision d;
  double mean;
  OK(neuralts_decider_create(1, &decider));
  OK(neuralts_model_select(model, decider, contexts, 2, 2, &d));
  mean = d.mean[1];
  neuralts_decider_free(decider);
  return mean;
}

void check_models(const char* folder) {
  char path[4096];
  neuralts_agent* agent = agent_that_knows(20);
  neuralts_model *model = NULL, *shared = NULL, *from_file = NULL, *from_bytes = NULL;
  neuralts_bytes* bytes = NULL;
  double before;
  int t;
  snprintf(path, sizeof path, "%s/model.nts", folder);
  OK(neuralts_agent_publish(agent, &model));
  decides_as_its_agent(model, agent);
  OK(neuralts_model_save(model, path));
  OK(neuralts_model_load(path, &from_file));
  OK(neuralts_model_to_bytes(model, &bytes));
  OK(neuralts_model_from_bytes(neuralts_bytes_data(bytes), neuralts_bytes_size(bytes), &from_bytes));
  neuralts_bytes_free(bytes);
  OK(neuralts_model_share(model, &shared));
  before = mean_of(model);
  neuralts_model_free(model);
  for (t = 0; t < 200; ++t) {
    OK(neuralts_agent_played(agent, contexts + 2, 2, 0));
    OK(neuralts_agent_learn(agent, contexts + 2, 2, 0, -3, 1));
  }
  CHECK(mean_of(shared) == before && mean_of(from_file) == before && mean_of(from_bytes) == before);
  OK(neuralts_agent_publish(agent, &model));
  CHECK(mean_of(model) < before); /* a new one knows what was learned since */
  neuralts_model_free(model);
  neuralts_model_free(shared);
  neuralts_model_free(from_file);
  neuralts_model_free(from_bytes);
  neuralts_agent_free(agent);
}
