#include <math.h>
#include <string.h>

#include "check.h"

static const char features[] =
    "{\"context\": {\"evening\": \"truth\"}, \"action\": {\"id\": {\"kind\": \"category\", \"values\": [\"news\", \"film\"]}}}";
static const char* const hours[] = {"{\"evening\": false}", "{\"evening\": true}"};
static const char actions[] = "[{\"id\": \"news\"}, {\"id\": \"film\"}]";

/* Films in the evening, news by day. */
static double worth(int evening, const char* action) { return (strcmp(action, "film") == 0) == (evening == 1); }

static void play(neuralts_session* session, int rounds) {
  int t;
  for (t = 0; t < rounds; ++t) {
    neuralts_choice choice;
    neuralts_settled settled;
    char id[64];
    snprintf(id, sizeof id, "visit-%d", t);
    OK(neuralts_session_select(session, hours[t % 2], actions, t, id, &choice));
    CHECK(strcmp(choice.event_id, id) == 0);
    CHECK(strcmp(choice.action, choice.decision.arm == 0 ? "news" : "film") == 0);
    CHECK(fabs(choice.decision.probabilities[0] + choice.decision.probabilities[1] - 1) < 1e-9);
    OK(neuralts_session_reward(session, id, worth(t % 2, choice.action), t + 1, &settled));
    CHECK(settled == NEURALTS_LEARNED);
  }
}

static void prefers(neuralts_session* session) {
  neuralts_choice choice;
  OK(neuralts_session_select(session, hours[0], actions, 0, "by-day", &choice));
  CHECK(choice.decision.probabilities[0] > 0.9);
  OK(neuralts_session_select(session, hours[1], actions, 0, "by-night", &choice));
  CHECK(choice.decision.probabilities[1] > 0.9);
}

static void rewards_are_settled_once(neuralts_session* session) {
  neuralts_choice choice;
  neuralts_settled settled;
  char own[256];
  size_t count = 0, open = neuralts_session_open(session);
  OK(neuralts_session_select(session, hours[0], actions, 1000, NULL, &choice));
  CHECK(strlen(choice.event_id) > 0 && strlen(choice.event_id) < sizeof own);
  strcpy(own, choice.event_id);
  CHECK(neuralts_session_open(session) == open + 1);
  OK(neuralts_session_reward(session, own, 1, 1001, &settled));
  CHECK(settled == NEURALTS_LEARNED);
  OK(neuralts_session_reward(session, own, 1, 1001, &settled));
  CHECK(settled == NEURALTS_DUPLICATE);
  OK(neuralts_session_reward(session, "nobody", 1, 1001, &settled));
  CHECK(settled == NEURALTS_UNKNOWN);
  OK(neuralts_session_select(session, hours[0], actions, 2000, "late", &choice));
  OK(neuralts_session_expire(session, 3000, 600, 0, &count));
  CHECK(count == open + 1 && neuralts_session_open(session) == 0);
  OK(neuralts_session_reward(session, "late", 1, 3001, &settled));
  CHECK(settled == NEURALTS_EXPIRED);
}

/* What a server does that decides with models alone: the encoder's rows and the model give the session's own means. */
static void encoder_and_model_are_the_session(neuralts_session* session) {
  neuralts_bytes* schema = NULL;
  neuralts_encoder* encoder = NULL;
  neuralts_model* model = NULL;
  neuralts_decider* decider = NULL;
  neuralts_decision d;
  neuralts_choice choice;
  double values[256];
  size_t arms = 0, length;
  OK(neuralts_session_schema(session, &schema));
  OK(neuralts_encoder_create((const char*)neuralts_bytes_data(schema), &encoder));
  length = neuralts_encoder_length(encoder);
  CHECK(length > 0 && 2 * length <= 256);
  CHECK(neuralts_encoder_encode(encoder, hours[1], actions, values, 2 * length - 1, &arms) == NEURALTS_BAD_ARGUMENT && arms == 2);
  OK(neuralts_encoder_encode(encoder, hours[1], actions, values, 256, &arms));
  OK(neuralts_session_publish(session, &model));
  OK(neuralts_decider_create(3, &decider));
  OK(neuralts_model_select(model, decider, values, arms, length, &d));
  OK(neuralts_session_select(session, hours[1], actions, 5000, "same", &choice));
  CHECK(memcmp(d.mean, choice.decision.mean, 2 * sizeof(double)) == 0);
  neuralts_decider_free(decider);
  neuralts_model_free(model);
  neuralts_encoder_free(encoder);
  neuralts_bytes_free(schema);
}

static void a_schema_is_learned(void) {
  neuralts_session* session = NULL;
  neuralts_bytes* schema = NULL;
  OK(neuralts_session_create("linear-ts", NULL, NULL, NULL, 0, 1, &session));
  CHECK(neuralts_session_schema(session, &schema) == NEURALTS_UNSUPPORTED && schema == NULL);
  play(session, 300);
  OK(neuralts_session_schema(session, &schema));
  CHECK(strstr((const char*)neuralts_bytes_data(schema), "evening") != NULL);
  CHECK(strlen((const char*)neuralts_bytes_data(schema)) == neuralts_bytes_size(schema));
  neuralts_bytes_free(schema);
  neuralts_session_free(session);
}

static void arms_are_known_by_id(void) {
  neuralts_session* session = NULL;
  OK(neuralts_session_create("linear-ts", NULL, "nu=0.2", "{\"context\": {\"evening\": \"truth\"}}", 2, 5, &session));
  play(session, 200);
  prefers(session);
  neuralts_session_free(session);
}

void check_sessions(const char* folder) {
  char path[4096];
  neuralts_session *session = NULL, *loaded = NULL;
  snprintf(path, sizeof path, "%s/session.nts", folder);
  OK(neuralts_session_create("linear-ts", NULL, "nu=0.2", features, 0, 5, &session));
  play(session, 200);
  OK(neuralts_session_save(session, path));
  OK(neuralts_session_load(path, &loaded));
  prefers(session);
  prefers(loaded);
  rewards_are_settled_once(loaded);
  encoder_and_model_are_the_session(loaded);
  neuralts_session_free(session);
  neuralts_session_free(loaded);
  a_schema_is_learned();
  arms_are_known_by_id();
}
