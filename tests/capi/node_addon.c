/* The C interface inside Node: a small native module, as a binding for Node would be. */
#include <node_api.h>
#include <stdlib.h>
#include <string.h>

#include "neuralts_c.h"

/* A failed call becomes an exception of JavaScript. */
static int refused(napi_env env, neuralts_status status) {
  if (status != NEURALTS_OK) napi_throw_error(env, neuralts_status_name(status), neuralts_error_text());
  return status != NEURALTS_OK;
}

static void free_agent(napi_env env, void* agent, void* hint) {
  (void)env;
  (void)hint;
  neuralts_agent_free((neuralts_agent*)agent);
}

static neuralts_agent* agent_of(napi_env env, napi_value value) {
  void* agent = NULL;
  return napi_get_value_external(env, value, &agent) == napi_ok ? (neuralts_agent*)agent : NULL;
}

static double* numbers_of(napi_env env, napi_value value, size_t* count) {
  void* data = NULL;
  napi_typedarray_type type;
  if (napi_get_typedarray_info(env, value, &type, count, &data, NULL, NULL) != napi_ok || type != napi_float64_array) *count = 0;
  return (double*)data;
}

static napi_value number(napi_env env, double value) {
  napi_value out = NULL;
  napi_create_double(env, value, &out);
  return out;
}

/* create(policy, length, seed) */
static napi_value create(napi_env env, napi_callback_info info) {
  size_t count = 3, written = 0;
  napi_value arguments[3], out = NULL;
  char policy[64] = "";
  uint32_t length = 0, seed = 0;
  neuralts_agent* agent = NULL;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  napi_get_value_string_utf8(env, arguments[0], policy, sizeof policy, &written);
  napi_get_value_uint32(env, arguments[1], &length);
  napi_get_value_uint32(env, arguments[2], &seed);
  if (refused(env, neuralts_agent_create(policy, NULL, NULL, length, 1, seed, &agent))) return NULL;
  napi_create_external(env, agent, free_agent, NULL, &out);
  return out;
}

/* select(agent, contexts: Float64Array, arms) -> {arm, probabilities} */
static napi_value select_arm(napi_env env, napi_callback_info info) {
  size_t count = 3, given = 0, k;
  napi_value arguments[3], out = NULL, list = NULL;
  uint32_t arms = 0;
  neuralts_decision decision;
  double* contexts;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  contexts = numbers_of(env, arguments[1], &given);
  napi_get_value_uint32(env, arguments[2], &arms);
  if (refused(env, neuralts_agent_select(agent_of(env, arguments[0]), contexts, arms, arms == 0 ? 0 : given / arms, &decision)))
    return NULL;
  napi_create_object(env, &out);
  napi_set_named_property(env, out, "arm", number(env, (double)decision.arm));
  napi_create_array_with_length(env, decision.arms, &list);
  for (k = 0; k < decision.arms; ++k) napi_set_element(env, list, (uint32_t)k, number(env, decision.probabilities[k]));
  napi_set_named_property(env, out, "probabilities", list);
  return out;
}

/* learn(agent, context: Float64Array, reward) */
static napi_value learn(napi_env env, napi_callback_info info) {
  size_t count = 3, length = 0;
  napi_value arguments[3];
  double reward = 0;
  double* context;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  context = numbers_of(env, arguments[1], &length);
  napi_get_value_double(env, arguments[2], &reward);
  refused(env, neuralts_agent_learn(agent_of(env, arguments[0]), context, length, 0, reward, 1));
  return NULL;
}

NAPI_MODULE_INIT() {
  static const struct {
    const char* name;
    napi_callback call;
  } functions[] = {{"create", create}, {"select", select_arm}, {"learn", learn}};
  size_t i;
  for (i = 0; i < sizeof functions / sizeof *functions; ++i) {
    napi_value function = NULL;
    napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH, functions[i].call, NULL, &function);
    napi_set_named_property(env, exports, functions[i].name, function);
  }
  return exports;
}
