// A loop as the journal's settings hold it.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "serve/loop_config.hpp"

namespace neuralts::serve {

struct StoredLoop {
  std::uint32_t id = 0;
  std::string name;
  bool deleted = false, pinned = false;
  std::deque<LoopConfig> revisions;  ///< one at least, unless it is deleted

  /// That an event was decided under. Throws Error(corrupt) for one that is not there.
  const LoopConfig& config(std::uint32_t revision) const;
};

/// Throws Error(corrupt).
StoredLoop stored_loop_from_json(std::string_view text);

}  // namespace neuralts::serve
