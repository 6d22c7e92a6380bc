// A model as bytes: magic, what it takes, the policy. What the journal keeps, and what export gives and import
// takes.
#pragma once

#include <string>
#include <string_view>

#include "serve/decide.hpp"
#include "serve/journal/journal.hpp"

namespace neuralts::serve {

std::string model_bytes(Form form, std::uint32_t length, const Encoder* encoder, std::string_view policy);
/// Version and position are the caller's to set. Throws Error(corrupt): anything was changed or cut off, or the policy
/// takes something else than the file says.
Published model_from_bytes(std::string_view bytes, const std::string& where);
/// Under the version and position it is stored with. Throws Error(corrupt).
std::shared_ptr<Published> stored_model(const StoredModel& stored);

}  // namespace neuralts::serve
