// Python objects that C++ threads hold and call.
#pragma once

#include "bind.hpp"
#include "neuralts/error.hpp"

namespace neuralts::python {

/// A Python object that may be let go by any thread.
class Kept {
 public:
  explicit Kept(py::object object) : object_(std::move(object)) {}
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {
    const py::gil_scoped_acquire gil;
    object_ = py::object();
  }
  const py::object& get() const { return object_; }

 private:
  py::object object_;
};

/// Runs `work` with the GIL; no exception of Python's leaves with it. `who` is named in its place.
template <class Work>
auto with_python(const std::string& who, Work work) {
  const py::gil_scoped_acquire gil;
  try {
    return work();
  } catch (const py::error_already_set& raised) {
    throw Error(ErrorCode::bad_input, who, raised.what());
  } catch (const py::builtin_exception& raised) {
    throw Error(ErrorCode::bad_input, who, raised.what());
  }
}

}  // namespace neuralts::python
