// Reads the shared journal in order. Events that the records read are about are fetched with them: a join
// asks for each.
#pragma once

#include <map>

#include "serve/journal/postgres/postgres_journal.hpp"

namespace neuralts::serve {

class PostgresReader final : public JournalReader {
 public:
  explicit PostgresReader(PostgresJournal& journal) : journal_(journal) {}

  Sequence read(Sequence after, std::size_t limit, std::uint32_t loop, std::vector<Record>& out) override;
  Sequence read_events(Sequence after, std::size_t limit, std::uint32_t loop,
                       std::vector<Record>& out) override;
  std::optional<Record> find(Sequence sequence) override;

 private:
  Sequence read(Sequence after, std::size_t limit, std::uint32_t loop, const char* sql,
                std::vector<Record>& out);
  void fetch_targets(const std::vector<Record>& records, std::size_t from);

  PostgresJournal& journal_;
  std::map<Sequence, Record> targets_;  // of the records read last
};

}  // namespace neuralts::serve
