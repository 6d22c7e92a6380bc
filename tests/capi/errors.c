#include <math.h>
#include <pthread.h>
#include <string.h>

#include "check.h"

#define SAYS(word) CHECK(strstr(neuralts_error_text(), word) != NULL)

static const double contexts[] = {1, 0, 0, 1};

static void a_failure_leaves_the_output_alone(neuralts_agent* agent) {
  double bad[] = {1, 0, 0, 1};
  neuralts_decision d;
  memset(&d, 0x5a, sizeof d);
  bad[3] = NAN;
  CHECK(neuralts_agent_select(agent, bad, 2, 2, &d) == NEURALTS_BAD_ARGUMENT);
  SAYS("neuralts_agent_select: ");
  CHECK(neuralts_agent_select(agent, contexts, 0, 2, &d) == NEURALTS_BAD_ARGUMENT);
  CHECK(neuralts_agent_select(agent, contexts, 1, 3, &d) == NEURALTS_BAD_ARGUMENT);
  CHECK(neuralts_agent_select(agent, contexts, (size_t)-1, 2, &d) == NEURALTS_BAD_ARGUMENT);
  CHECK(((unsigned char*)&d)[0] == 0x5a && d.arms == d.arm);
}

static void null_is_a_mistake_that_is_named(neuralts_agent* agent) {
  neuralts_decision d;
  CHECK(neuralts_agent_select(NULL, contexts, 2, 2, &d) == NEURALTS_BAD_ARGUMENT);
  SAYS("agent is NULL");
  CHECK(neuralts_agent_select(agent, NULL, 2, 2, &d) == NEURALTS_BAD_ARGUMENT);
  SAYS("contexts is NULL");
  CHECK(neuralts_agent_select(agent, contexts, 2, 2, NULL) == NEURALTS_BAD_ARGUMENT);
  SAYS("out is NULL");
  CHECK(neuralts_agent_create("linear-ts", NULL, NULL, 2, 1, 1, NULL) == NEURALTS_BAD_ARGUMENT);
  CHECK(neuralts_agent_publish(agent, NULL) == NEURALTS_BAD_ARGUMENT);
  CHECK(neuralts_agent_to_bytes(agent, NULL) == NEURALTS_BAD_ARGUMENT);
  CHECK(neuralts_agent_save(agent, NULL) == NEURALTS_BAD_ARGUMENT);
  CHECK(neuralts_agent_learn_batch(agent, contexts, 2, 2, NULL, NULL, NULL) == NEURALTS_BAD_ARGUMENT);
  CHECK(neuralts_model_load(NULL, NULL) == NEURALTS_BAD_ARGUMENT);
  CHECK(neuralts_session_select(NULL, "{}", "[{}]", 0, NULL, NULL) == NEURALTS_BAD_ARGUMENT);
  CHECK(neuralts_session_open(NULL) == 0 && neuralts_encoder_length(NULL) == 0 && neuralts_bytes_size(NULL) == 0);
  neuralts_agent_free(NULL);
  neuralts_model_free(NULL);
  neuralts_decider_free(NULL);
  neuralts_encoder_free(NULL);
  neuralts_session_free(NULL);
  neuralts_bytes_free(NULL);
}

static void specifications_are_checked(void) {
  neuralts_agent* agent = NULL;
  CHECK(neuralts_agent_create("linear-tz", NULL, NULL, 2, 1, 1, &agent) == NEURALTS_BAD_SPEC);
  SAYS("linear-ts");
  CHECK(neuralts_agent_create("linear-ts", "papr", NULL, 2, 1, 1, &agent) == NEURALTS_BAD_SPEC);
  CHECK(neuralts_agent_create("linear-ts", NULL, "nu=-1", 2, 1, 1, &agent) == NEURALTS_BAD_SPEC);
  SAYS("nu");
  CHECK(neuralts_agent_create("linear-ts", NULL, "nonsense", 2, 1, 1, &agent) == NEURALTS_BAD_SPEC);
  CHECK(agent == NULL);
}

static void weights_and_rewards_are_checked(neuralts_agent* agent) {
  const double rewards[] = {1, INFINITY};
  CHECK(neuralts_agent_learn(agent, contexts, 2, 0, 1, -1) == NEURALTS_BAD_ARGUMENT);
  CHECK(neuralts_agent_learn(agent, contexts, 2, 0, NAN, 1) == NEURALTS_BAD_ARGUMENT);
  CHECK(neuralts_agent_learn(agent, contexts, 2, 1, 1, 1) == NEURALTS_BAD_ARGUMENT); /* no such block */
  CHECK(neuralts_agent_learn_batch(agent, contexts, 2, 2, NULL, rewards, NULL) == NEURALTS_BAD_ARGUMENT);
}

static void damaged_bytes_are_refused(const neuralts_agent* agent, const char* folder) {
  char path[4096];
  neuralts_bytes* bytes = NULL;
  neuralts_agent* other = NULL;
  neuralts_model* model = NULL;
  char* copy;
  size_t size;
  OK(neuralts_agent_to_bytes(agent, &bytes));
  size = neuralts_bytes_size(bytes);
  copy = (char*)malloc(size);
  CHECK(copy != NULL);
  memcpy(copy, neuralts_bytes_data(bytes), size);
  copy[size / 2] ^= 1;
  CHECK(neuralts_agent_from_bytes(copy, size, &other) == NEURALTS_CORRUPT);
  CHECK(neuralts_agent_from_bytes(neuralts_bytes_data(bytes), size - 1, &other) == NEURALTS_CORRUPT);
  CHECK(neuralts_agent_from_bytes(NULL, 0, &other) == NEURALTS_CORRUPT);
  CHECK(neuralts_model_from_bytes(neuralts_bytes_data(bytes), size, &model) != NEURALTS_OK);
  snprintf(path, sizeof path, "%s/no/such/agent.nts", folder);
  CHECK(neuralts_agent_load(path, &other) == NEURALTS_NOT_FOUND);
  CHECK(neuralts_agent_save(agent, path) == NEURALTS_NOT_FOUND); /* the folder */
  SAYS("no/such");
  CHECK(other == NULL && model == NULL);
  free(copy);
  neuralts_bytes_free(bytes);
}

static void json_is_checked(void) {
  neuralts_session* session = NULL;
  neuralts_encoder* encoder = NULL;
  neuralts_choice choice;
  OK(neuralts_session_create("linear-ts", NULL, NULL, NULL, 0, 1, &session));
  CHECK(neuralts_session_select(session, "{\"a\":", "[{}]", 0, NULL, &choice) == NEURALTS_BAD_INPUT);
  SAYS("context");
  CHECK(neuralts_session_select(session, "{}", "{}", 0, NULL, &choice) == NEURALTS_BAD_INPUT);
  SAYS("actions");
  CHECK(neuralts_session_select(session, "{}", "[1]", 0, NULL, &choice) == NEURALTS_BAD_INPUT);
  CHECK(neuralts_session_select(session, "{}", "[]", 0, NULL, &choice) == NEURALTS_BAD_ARGUMENT);
  CHECK(neuralts_session_open(session) == 0);
  CHECK(neuralts_encoder_create("{", &encoder) == NEURALTS_BAD_SPEC && encoder == NULL);
  neuralts_session_free(session);
}

static void* fail_elsewhere(void* unused) {
  neuralts_agent* agent = NULL;
  (void)unused;
  CHECK(neuralts_error_text()[0] == '\0'); /* nothing failed on this thread yet */
  CHECK(neuralts_agent_create("another", NULL, NULL, 2, 1, 1, &agent) == NEURALTS_BAD_SPEC);
  SAYS("another");
  return NULL;
}

static void texts_belong_to_threads(void) {
  pthread_t thread;
  neuralts_agent* agent = NULL;
  CHECK(neuralts_agent_create("mine", NULL, NULL, 2, 1, 1, &agent) == NEURALTS_BAD_SPEC);
  CHECK(pthread_create(&thread, NULL, fail_elsewhere, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  SAYS("mine");
}

void check_errors(const char* folder) {
  neuralts_agent* agent = NULL;
  OK(neuralts_agent_create("linear-ts", NULL, NULL, 2, 1, 1, &agent));
  a_failure_leaves_the_output_alone(agent);
  null_is_a_mistake_that_is_named(agent);
  specifications_are_checked();
  weights_and_rewards_are_checked(agent);
  damaged_bytes_are_refused(agent, folder);
  json_is_checked();
  texts_belong_to_threads();
  CHECK(strcmp(neuralts_status_name(NEURALTS_CORRUPT), "corrupt") == 0);
  CHECK(strcmp(neuralts_status_name((neuralts_status)99), "unknown status") == 0);
  neuralts_agent_free(agent);
}
