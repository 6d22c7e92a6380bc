#include "guard.hpp"

#include <cstdio>

#include "neuralts/version.hpp"

namespace neuralts::capi {

namespace {

thread_local char error_text[2048] = "";  // of fixed size: keeping it cannot fail

neuralts_status status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_spec: return NEURALTS_BAD_SPEC;
    case ErrorCode::bad_input: return NEURALTS_BAD_INPUT;
    case ErrorCode::not_found: return NEURALTS_NOT_FOUND;
    case ErrorCode::io: return NEURALTS_IO;
    case ErrorCode::corrupt: return NEURALTS_CORRUPT;
    case ErrorCode::unsupported: return NEURALTS_UNSUPPORTED;
  }
  return NEURALTS_INTERNAL;
}

neuralts_status keep(neuralts_status status, const char* where, const char* what) noexcept {
  std::snprintf(error_text, sizeof error_text, "%s: %s", where, what);
  return status;
}

}  // namespace

neuralts_status fail(const char* where) noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return keep(status_of(error.code()), where, error.what());
  } catch (const ContractError& error) {
    return keep(NEURALTS_BAD_ARGUMENT, where, error.what());
  } catch (const std::bad_alloc&) {
    return keep(NEURALTS_NO_MEMORY, where, "there is not enough memory");
  } catch (const std::length_error&) {
    return keep(NEURALTS_NO_MEMORY, where, "there is not enough memory");
  } catch (const std::exception& error) {
    return keep(NEURALTS_INTERNAL, where, error.what());
  } catch (...) {
    return keep(NEURALTS_INTERNAL, where, "unknown failure");
  }
}

}  // namespace neuralts::capi

extern "C" {

const char* neuralts_version(void) { return neuralts::version(); }

const char* neuralts_error_text(void) { return neuralts::capi::error_text; }

const char* neuralts_status_name(neuralts_status status) {
  switch (status) {
    case NEURALTS_OK: return "ok";
    case NEURALTS_BAD_SPEC: return "bad spec";
    case NEURALTS_BAD_INPUT: return "bad input";
    case NEURALTS_NOT_FOUND: return "not found";
    case NEURALTS_IO: return "io";
    case NEURALTS_CORRUPT: return "corrupt";
    case NEURALTS_UNSUPPORTED: return "unsupported";
    case NEURALTS_BAD_ARGUMENT: return "bad argument";
    case NEURALTS_NO_MEMORY: return "no memory";
    case NEURALTS_INTERNAL: return "internal";
  }
  return "unknown status";
}
}
