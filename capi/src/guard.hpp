// The border: what is thrown inside becomes a status and a text outside.
#pragma once

#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include "neuralts/error.hpp"
#include "neuralts_c.h"

namespace neuralts::capi {

/// Turns the exception in flight into a status, and keeps its text for this thread. REQUIRES a catch block.
neuralts_status fail(const char* where) noexcept;

/// Runs a function's body. `where` is the function's name.
template <class Body>
neuralts_status guarded(const char* where, const Body& body) noexcept {
  try {
    body();
    return NEURALTS_OK;
  } catch (...) {
    return fail(where);
  }
}

/// The pointer, when there is one. Throws ContractError otherwise.
template <class T>
T& given(T* pointer, const char* name) {
  if (pointer == nullptr) throw ContractError(std::string(name) + " is NULL");
  return *pointer;
}
/// A new handle goes to the caller.
template <class T>
void hand_out(T** out, std::unique_ptr<T> handle) {
  given(out, "out") = handle.get();
  handle.release();
}
inline std::string text(const char* pointer, const char* name) { return &given(pointer, name); }
inline std::string text_or_empty(const char* pointer) {
  return pointer == nullptr ? std::string() : std::string(pointer);
}

}  // namespace neuralts::capi
