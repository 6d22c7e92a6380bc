// Reads the segments in order through connections of its own, which never write.
#pragma once

#include <map>

#include "serve/journal/segment_catalogue.hpp"

namespace neuralts::serve {

class SqliteReader final : public JournalReader {
 public:
  explicit SqliteReader(SegmentCatalogue& journal) : journal_(journal) {}

  Sequence read(Sequence after, std::size_t limit, std::uint32_t loop, std::vector<Record>& out) override;
  Sequence read_events(Sequence after, std::size_t limit, std::uint32_t loop, std::vector<Record>& out) override;
  std::optional<Record> find(Sequence sequence) override;

 private:
  struct Open {
    std::uint64_t number = 0;
    Database database;
    Statement begin, end, all, events, one;
  };
  class Snapshot;
  Open& open(std::uint64_t number);
  Sequence read(Sequence after, std::size_t limit, std::uint32_t loop, Statement Open::*query,
                std::vector<Record>& out);

  void keep_target(Open& segment, const Record& record);

  SegmentCatalogue& journal_;
  Open head_, found_;  // lookups of old events do not close what is read in order
  std::map<Sequence, Record> targets_;  // of the records read last, as far as they are in the same segment
};

}  // namespace neuralts::serve
