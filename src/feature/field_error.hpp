// A field that an object should not have.
#pragma once

#include <string>

#include "neuralts/error.hpp"

namespace neuralts {

/// Of what an encoder is given.
enum class FieldPart { context, action };

class FieldError : public ContractError {
 public:
  FieldError(const std::string& what, FieldPart part) : ContractError(what), part_(part) {}
  FieldPart part() const { return part_; }

 private:
  FieldPart part_;
};

}  // namespace neuralts
