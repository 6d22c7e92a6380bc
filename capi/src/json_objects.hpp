// JSON text as the objects of a decision.
#pragma once

#include "neuralts/fields.hpp"

namespace neuralts::capi {

/// Row 0: the object `context`; then a row per object of the list `actions`. Throws Error(bad_input),
/// ContractError for NULL.
void read_objects(const char* context, const char* actions, FieldTable& out);

}  // namespace neuralts::capi
