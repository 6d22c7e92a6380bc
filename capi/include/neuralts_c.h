/* neuralts for C and for every language that can call C: contextual bandits that say how likely each choice was.
 *
 *   neuralts_agent* agent = NULL;
 *   neuralts_decision decision;
 *   if (neuralts_agent_create("neural-ts", NULL, "nu=0.1", 20, 1, 7, &agent) != NEURALTS_OK) puts(neuralts_error_text());
 *   neuralts_agent_select(agent, contexts, 10, 20, &decision);               ten arms, a row of twenty numbers each
 *   neuralts_agent_learn(agent, contexts + 20 * decision.arm, 20, 0, reward, 1.0);
 *   neuralts_agent_free(agent);
 *
 * Conventions
 * - Every function that can fail returns a status. Anything but NEURALTS_OK: nothing was changed, no output was written, and
 *   neuralts_error_text() says why. No exception and no signal leaves the library; it never prints and never exits.
 * - Handles are opaque. Who gets one from create, load, publish, share or from_bytes frees it, once; free(NULL) does nothing.
 * - Numbers are IEEE doubles, matrices row-major. Texts are UTF-8 and end with a zero byte.
 * - A pointer that the library hands out belongs to the handle it came from; each function says how long it holds.
 * - A handle is used by one thread at a time, whichever; a model and an encoder by any number of threads at once.
 *
 * The interface grows by new functions, under a new version of their symbols. What is here keeps its meaning. */
#ifndef NEURALTS_C_H
#define NEURALTS_C_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define NEURALTS_API __attribute__((visibility("default")))
#else
#define NEURALTS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum neuralts_status {
  NEURALTS_OK = 0,
  NEURALTS_BAD_SPEC = 1,     /* an unknown name or key, a value out of its range */
  NEURALTS_BAD_INPUT = 2,    /* a text or a file whose content is not what its format asks for */
  NEURALTS_NOT_FOUND = 3,    /* a file that is not there */
  NEURALTS_IO = 4,           /* the operating system said no */
  NEURALTS_CORRUPT = 5,      /* saved bytes that are truncated or damaged */
  NEURALTS_UNSUPPORTED = 6,  /* not with this handle, or not yet */
  NEURALTS_BAD_ARGUMENT = 7, /* a mistake of the caller: a null pointer, a wrong size, a number that is not finite */
  NEURALTS_NO_MEMORY = 8,
  NEURALTS_INTERNAL = 9      /* a mistake of the library */
} neuralts_status;

/* "0.1.0". */
NEURALTS_API const char* neuralts_version(void);
/* "bad spec", "corrupt", ...; "unknown status" for any other number. */
NEURALTS_API const char* neuralts_status_name(neuralts_status status);
/* Why the last call on this thread that failed did so: "where: what: hint". Holds until the next failure on this thread. "" before
 * the first. */
NEURALTS_API const char* neuralts_error_text(void);

/* What was chosen and why. The arrays have one number per arm offered. */
typedef struct neuralts_decision {
  size_t arm;                  /* chosen */
  double probability;          /* with which it was chosen */
  int estimated;               /* not 0: the probabilities are an estimate */
  size_t arms;                 /* offered */
  const double* probabilities; /* of every arm; they sum to 1 */
  const double* mean;          /* believed reward */
  const double* width;         /* standard deviation of the believed reward */
} neuralts_decision;

/* ---- Bytes: what a handle is, saved in memory ------------------------------------------------------------------------ */

typedef struct neuralts_bytes neuralts_bytes;
NEURALTS_API const void* neuralts_bytes_data(const neuralts_bytes* bytes);
NEURALTS_API size_t neuralts_bytes_size(const neuralts_bytes* bytes);
NEURALTS_API void neuralts_bytes_free(neuralts_bytes* bytes);

/* ---- Model: knows, decides, never changes ---------------------------------------------------------------------------- */

typedef struct neuralts_model neuralts_model;
/* A thread's own randomness and working memory for decisions of models. The same seed gives the same choices. */
typedef struct neuralts_decider neuralts_decider;

NEURALTS_API neuralts_status neuralts_decider_create(uint64_t seed, neuralts_decider** out);
NEURALTS_API void neuralts_decider_free(neuralts_decider* decider);

/* Chooses between `arms` rows of `length` numbers. The decision's arrays hold until the decider's next call or its end. */
NEURALTS_API neuralts_status neuralts_model_select(const neuralts_model* model, neuralts_decider* decider, const double* contexts,
                                                   size_t arms, size_t length, neuralts_decision* out);
/* Every arm sees the same x, in a block of its own: arm k in blocks[k], or in block k where blocks is NULL. */
NEURALTS_API neuralts_status neuralts_model_select_shared(const neuralts_model* model, neuralts_decider* decider, const double* x,
                                                          size_t length, const uint32_t* blocks, size_t arms,
                                                          neuralts_decision* out);
/* Another handle of the same model, for another owner. Costs nothing. */
NEURALTS_API neuralts_status neuralts_model_share(const neuralts_model* model, neuralts_model** out);
/* A file of what a decision needs, without history. Written whole or not at all. */
NEURALTS_API neuralts_status neuralts_model_save(const neuralts_model* model, const char* path);
NEURALTS_API neuralts_status neuralts_model_load(const char* path, neuralts_model** out);
NEURALTS_API neuralts_status neuralts_model_to_bytes(const neuralts_model* model, neuralts_bytes** out);
NEURALTS_API neuralts_status neuralts_model_from_bytes(const void* data, size_t size, neuralts_model** out);
NEURALTS_API void neuralts_model_free(neuralts_model* model);

/* ---- Agent: chooses between vectors and learns ----------------------------------------------------------------------- */

typedef struct neuralts_agent neuralts_agent;

/* policy: "neural-ts", "linear-ucb", ... (`neuralts policies` lists them). preset: NULL for the policy's own default. params:
 * "key=value,key=value" over the preset, or NULL. length: numbers of a context. blocks: 1 where every arm has its own vector, the
 * number of arms where they share one. */
NEURALTS_API neuralts_status neuralts_agent_create(const char* policy, const char* preset, const char* params, size_t length,
                                                   size_t blocks, uint64_t seed, neuralts_agent** out);
/* As the model's, and marks the choice as played. The arrays hold until the agent's next call or its end. */
NEURALTS_API neuralts_status neuralts_agent_select(neuralts_agent* agent, const double* contexts, size_t arms, size_t length,
                                                   neuralts_decision* out);
NEURALTS_API neuralts_status neuralts_agent_select_shared(neuralts_agent* agent, const double* x, size_t length,
                                                          const uint32_t* blocks, size_t arms, neuralts_decision* out);
/* Tells that a context was played by a decision made elsewhere, by a published model. */
NEURALTS_API neuralts_status neuralts_agent_played(neuralts_agent* agent, const double* context, size_t length, size_t block);
/* The reward of a played context, now or later. block: 0 where every arm has its own vector. weight: how often the round counts,
 * >= 0; 1 unless there is a reason. Trains when the policy's schedule says so. */
NEURALTS_API neuralts_status neuralts_agent_learn(neuralts_agent* agent, const double* context, size_t length, size_t block,
                                                  double reward, double weight);
/* Many at once: `rounds` rows of `length` numbers. blocks NULL: all 0. weights NULL: all 1. */
NEURALTS_API neuralts_status neuralts_agent_learn_batch(neuralts_agent* agent, const double* contexts, size_t rounds, size_t length,
                                                        const uint32_t* blocks, const double* rewards, const double* weights);
/* What the agent knows now, as a model that stays as it is. */
NEURALTS_API neuralts_status neuralts_agent_publish(const neuralts_agent* agent, neuralts_model** out);
/* Everything: load and continue equals continue, bit for bit. */
NEURALTS_API neuralts_status neuralts_agent_save(const neuralts_agent* agent, const char* path);
NEURALTS_API neuralts_status neuralts_agent_load(const char* path, neuralts_agent** out);
NEURALTS_API neuralts_status neuralts_agent_to_bytes(const neuralts_agent* agent, neuralts_bytes** out);
NEURALTS_API neuralts_status neuralts_agent_from_bytes(const void* data, size_t size, neuralts_agent** out);
NEURALTS_API void neuralts_agent_free(neuralts_agent* agent);

/* ---- Encoder: objects as JSON text become vectors -------------------------------------------------------------------- */

typedef struct neuralts_encoder neuralts_encoder;

/* From a schema's JSON text, for example neuralts_session_schema's. */
NEURALTS_API neuralts_status neuralts_encoder_create(const char* schema, neuralts_encoder** out);
/* Numbers of an action's vector. */
NEURALTS_API size_t neuralts_encoder_length(const neuralts_encoder* encoder);
/* context: a JSON object. actions: a JSON list of objects. Their rows, one per action, into `values`, which has room for `room`
 * numbers. Too little room: NEURALTS_BAD_ARGUMENT, and *arms, alone, is written. */
NEURALTS_API neuralts_status neuralts_encoder_encode(const neuralts_encoder* encoder, const char* context, const char* actions,
                                                     double* values, size_t room, size_t* arms);
NEURALTS_API void neuralts_encoder_free(neuralts_encoder* encoder);

/* ---- Session: chooses between objects, by ids that late rewards name ------------------------------------------------- */

typedef struct neuralts_session neuralts_session;

typedef struct neuralts_choice {
  const char* event_id; /* names the decision */
  const char* action;   /* id of the action chosen: its field "id", or its position */
  neuralts_decision decision;
} neuralts_choice;

/* What became of a reward. */
typedef enum neuralts_settled {
  NEURALTS_LEARNED = 0,   /* the decision was open and is settled now */
  NEURALTS_DUPLICATE = 1, /* it had its reward; nothing changed */
  NEURALTS_EXPIRED = 2,   /* too late; nothing changed */
  NEURALTS_UNKNOWN = 3    /* no such decision is known */
} neuralts_settled;

/* features: NULL or "auto", or JSON as {"context": {"hour": "number"}, "action": {"id": "id"}}. arms: 0 where actions are what
 * their features say; otherwise every action is an arm of its own, known by its id, and at most so many are there at once. */
NEURALTS_API neuralts_status neuralts_session_create(const char* policy, const char* preset, const char* params,
                                                     const char* features, size_t arms, uint64_t seed, neuralts_session** out);
/* context: a JSON object. actions: a JSON list of objects, {"id": "red", "price": 3}. time: seconds since 1970. event_id: NULL for
 * one of the session's own. Texts and arrays of the choice hold until the session's next call. */
NEURALTS_API neuralts_status neuralts_session_select(neuralts_session* session, const char* context, const char* actions, double time,
                                                     const char* event_id, neuralts_choice* out);
/* settled may be NULL. */
NEURALTS_API neuralts_status neuralts_session_reward(neuralts_session* session, const char* event_id, double reward, double time,
                                                     neuralts_settled* settled);
/* Settles, with this reward, what was decided more than `after` seconds before `now` and is still open. settled: how many; may be
 * NULL. */
NEURALTS_API neuralts_status neuralts_session_expire(neuralts_session* session, double now, double after, double reward,
                                                     size_t* settled);
/* Decisions that wait for a reward. */
NEURALTS_API size_t neuralts_session_open(const neuralts_session* session);
/* The encoding as JSON text (its bytes end with a zero byte that its size does not count). NEURALTS_UNSUPPORTED before the session has
 * seen enough events to have one. */
NEURALTS_API neuralts_status neuralts_session_schema(const neuralts_session* session, neuralts_bytes** out);
/* What the session knows, as a model over the encoder's vectors. NEURALTS_UNSUPPORTED as above. */
NEURALTS_API neuralts_status neuralts_session_publish(const neuralts_session* session, neuralts_model** out);
NEURALTS_API neuralts_status neuralts_session_save(const neuralts_session* session, const char* path);
NEURALTS_API neuralts_status neuralts_session_load(const char* path, neuralts_session** out);
NEURALTS_API void neuralts_session_free(neuralts_session* session);

#ifdef __cplusplus
}
#endif

#endif
