#include "guard.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "log/json_door.hpp"
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

bool is_ascii(char c) { return (c & 0x80) == 0; }
bool goes_on(char c) { return (c & 0xC0) == 0x80; }  // a byte of a character that began before

/// A text that quotes a caller's bytes, or was cut, is UTF-8 all the same.
void make_utf8(char* text, bool cut) noexcept {
  char* end = text + std::strlen(text);
  if (cut) {
    while (end > text && goes_on(end[-1])) --end;
    if (end > text && !is_ascii(end[-1])) --end;
    *end = '\0';
  }
  if (simdjson::validate_utf8(text, static_cast<std::size_t>(end - text))) return;
  std::replace_if(
      text, end, [](char c) { return !is_ascii(c); }, '?');
}

neuralts_status keep(neuralts_status status, const char* where, const char* what) noexcept {
  const int size = std::snprintf(error_text, sizeof error_text, "%s: %s", where, what);
  make_utf8(error_text, size >= static_cast<int>(sizeof error_text));
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
