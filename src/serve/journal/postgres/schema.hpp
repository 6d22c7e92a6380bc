// The tables in the database, and how older ones become them: forward only, one step per version.
#pragma once

#include <string>
#include <vector>

#include "serve/journal/postgres/connection.hpp"

namespace neuralts::serve {

/// The steps: number k makes version k + 1 of version k. A step that was released is never changed.
const std::vector<const char*>& schema_steps();

/// Makes the schema or brings it up to date, by one process at a time. Throws JournalError: a newer program
/// made it.
void prepare_schema(Connection& connection, const std::string& schema);

}  // namespace neuralts::serve
