// What a merge stores in the shared journal, as statements that one round trip carries.
#pragma once

#include "serve/journal/merge.hpp"
#include "serve/journal/postgres/connection.hpp"

namespace neuralts::serve {

/// `writer`: whose spool the rows' origins count; 0: none. REQUIRES rows.
void queue_records(Connection& connection, const Merge& merge, std::int64_t segment, std::uint16_t writer);
void queue_names_and_keys(Connection& connection, const Merge& merge, std::int64_t segment);
/// `ended`: what waits no longer.
void queue_waiting(Connection& connection, const Merge& merge, const std::vector<std::int64_t>& ended);

}  // namespace neuralts::serve
