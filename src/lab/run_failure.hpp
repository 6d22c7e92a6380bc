// What a record says of a run that did not come to its end.
#pragma once

#include <new>
#include <stdexcept>
#include <string>

namespace neuralts {

inline std::string run_failure(const std::exception& problem) {
  if (dynamic_cast<const std::bad_alloc*>(&problem) == nullptr &&
      dynamic_cast<const std::length_error*>(&problem) == nullptr)
    return problem.what();
  return "memory ran out: linear policies hold a matrix of the context's numbers squared for every arm: take fewer "
         "columns, a network's policy (neural-ts), or fewer runs at a time";
}

}  // namespace neuralts
