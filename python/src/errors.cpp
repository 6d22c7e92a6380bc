// The engine's two words for failure become the package's exceptions (neuralts/errors.py), text unchanged.
#include "bind.hpp"
#include "neuralts/error.hpp"

namespace neuralts::python {

namespace {

const char* exception_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_spec: return "BadSpecError";
    case ErrorCode::bad_input: return "BadInputError";
    case ErrorCode::not_found: return "NotFoundError";
    case ErrorCode::io: return "InputOutputError";
    case ErrorCode::corrupt: return "CorruptError";
    case ErrorCode::unsupported: return "UnsupportedError";
  }
  return "Error";
}

void raise(const char* name, const char* text) {
  PyErr_SetString(py::module_::import("neuralts.errors").attr(name).ptr(), text);
}

void translate(std::exception_ptr failure) {
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const Error& error) {
    raise(exception_name(error.code()), error.what());
  } catch (const ContractError& error) {
    raise("ContractError", error.what());
  }
}

}  // namespace

void bind_errors(py::module_&) { py::register_exception_translator(&translate); }

}  // namespace neuralts::python
