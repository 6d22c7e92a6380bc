#include "serve/journal/shared_door.hpp"

#ifdef NEURALTS_POSTGRES
#include "serve/journal/postgres/postgres_journal.hpp"
#endif

namespace neuralts::serve {

bool is_shared_address(const std::string& address) { return address.starts_with("postgres://") || address.starts_with("postgresql://"); }

#ifdef NEURALTS_POSTGRES
std::unique_ptr<SharedJournal> open_shared_journal(const std::string& address, bool synchronous, std::uint64_t instance) {
  return std::make_unique<PostgresJournal>(address, PostgresOptions{.synchronous = synchronous}, instance);
}
#else
std::unique_ptr<SharedJournal> open_shared_journal(const std::string&, bool, std::uint64_t) {
  throw Error(ErrorCode::unsupported, "journal", "this build has no PostgreSQL", "build it with libpq-dev installed");
}
#endif

}  // namespace neuralts::serve
