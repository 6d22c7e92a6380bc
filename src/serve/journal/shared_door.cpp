#include "serve/journal/shared_door.hpp"

#include <fmt/format.h>

#ifdef NEURALTS_POSTGRES
#include "serve/journal/postgres/postgres_journal.hpp"
#endif

namespace neuralts::serve {

NumberTaken::NumberTaken(std::uint16_t writer, Sequence there, Sequence sent)
    : Error(ErrorCode::corrupt, "spool",
            fmt::format("the shared journal has {} records of writer {}, this folder has sent {}", there,
                        writer, sent),
            "an older copy of the folder, or a copy in which another node runs? Every node needs a folder of "
            "its own") {}

bool is_shared_address(const std::string& address) {
  return address.starts_with("postgres://") || address.starts_with("postgresql://");
}

#ifdef NEURALTS_POSTGRES
std::unique_ptr<SharedJournal> open_shared_journal(const std::string& address, const SharedOptions& options,
                                                   std::uint64_t instance) {
  PostgresOptions settings;
  settings.synchronous = options.synchronous;
  settings.must_answer = options.must_answer;
  return std::make_unique<PostgresJournal>(address, settings, instance);
}
#else
std::unique_ptr<SharedJournal> open_shared_journal(const std::string&, const SharedOptions&, std::uint64_t) {
  throw Error(ErrorCode::unsupported, "journal", "this build has no PostgreSQL",
              "build it with libpq-dev installed");
}
#endif

}  // namespace neuralts::serve
