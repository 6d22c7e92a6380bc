/* A check that says where it failed and ends the program. */
#ifndef CHECK_H
#define CHECK_H
#include <stdio.h>
#include <stdlib.h>

#include "neuralts_c.h"

#define CHECK(condition)                                                                                                   \
  do {                                                                                                                     \
    if (!(condition)) {                                                                                                    \
      fprintf(stderr, "%s:%d: %s\n  last error: %s\n", __FILE__, __LINE__, #condition, neuralts_error_text());              \
      exit(1);                                                                                                             \
    }                                                                                                                      \
  } while (0)
#define OK(call) CHECK((call) == NEURALTS_OK)

void check_agents(const char* folder);
void check_models(const char* folder);
void check_sessions(const char* folder);
void check_errors(const char* folder);

#endif
