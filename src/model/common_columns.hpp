// Columns that all contexts of a decision have in common, and that differ from one decision to the next: of the user, of
// the hour. Told by the decisions there were; none where nobody was told of any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "neuralts/archive.hpp"
#include "neuralts/context.hpp"

namespace neuralts {

class CommonColumns {
 public:
  static constexpr std::uint32_t first_version = 13;  // of a file

  /// What a decision was between. Where it throws nothing has changed.
  void see(const Contexts& contexts);
  /// Whether there are such columns, and others.
  bool any() const { return common_ > 0 && common_ < columns_.size(); }
  bool operator[](std::size_t column) const { return is_common(columns_[column]); }

  void save(Writer& out) const;
  void load(Reader& in, std::size_t length);

 private:
  enum : std::uint8_t { within = 1, between = 2 };  // a decision; decisions: that it has differed
  static bool is_common(std::uint8_t differed) { return differed == between; }

  std::vector<std::uint8_t> columns_;  // where it has differed
  std::vector<double> first_;          // what it was in the first decision
  std::size_t common_ = 0;
};

}  // namespace neuralts
