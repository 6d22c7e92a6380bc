// A journal's folder as someone else sees it: read-only, whether or not a service runs in it, as it was when it
// was opened.
#pragma once

#include <memory>

#include "serve/journal/segment_catalogue.hpp"

namespace neuralts::serve {

class SqliteView final : public SegmentCatalogue {
 public:
  /// Throws JournalError: there is no journal in the folder, or it cannot be read.
  explicit SqliteView(const std::string& folder);

  std::string path(std::uint64_t segment) const override { return segment_path(folder_, segment); }
  const std::string& vfs() const override { return vfs_; }
  std::pair<SegmentRow, Sequence> segment_of(Sequence sequence) override { return segment_among(rows_, sequence); }
  Sequence last() const override { return last_; }

  /// Must not outlive the view.
  std::unique_ptr<JournalReader> reader();
  std::vector<std::pair<std::string, std::string>> settings(const std::string& prefix) {
    return state_.settings(prefix);
  }

  static bool is_journal(const std::string& folder);

 private:
  std::string folder_, vfs_;
  StateTables state_;
  std::vector<SegmentRow> rows_;
  Sequence last_ = 0;
};

}  // namespace neuralts::serve
