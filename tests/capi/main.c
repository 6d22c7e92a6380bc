/* usage: capi_c99 FOLDER; the C interface from C99. */
#include "check.h"

int main(int argc, char** argv) {
  CHECK(argc == 2);
  check_agents(argv[1]);
  check_models(argv[1]);
  check_sessions(argv[1]);
  check_errors(argv[1]);
  puts("all is well");
  return 0;
}
