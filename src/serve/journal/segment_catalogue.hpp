// Which files hold a journal's records: what a reader of segments needs to know.
#pragma once

#include <string>
#include <utility>

#include "serve/journal/state_tables.hpp"

namespace neuralts::serve {

class SegmentCatalogue {
 public:
  virtual ~SegmentCatalogue() = default;
  virtual std::string path(std::uint64_t segment) const = 0;
  /// SQLite's name of a file system; empty: the real one.
  virtual const std::string& vfs() const = 0;
  /// The segment that holds `sequence`, and the first sequence after it (0: it is the newest).
  virtual std::pair<SegmentRow, Sequence> segment_of(Sequence sequence) = 0;
  /// The newest record that is durable. A failed append may have left others behind it.
  virtual Sequence last() const = 0;
};

std::string segment_path(const std::string& folder, std::uint64_t segment);
/// Of rows in the order of their sequences.
std::pair<SegmentRow, Sequence> segment_among(const std::vector<SegmentRow>& rows, Sequence sequence);

}  // namespace neuralts::serve
