// Memory that is taken before anything changes.
#pragma once

#include <algorithm>
#include <cstddef>

namespace neuralts {

/// Makes room for `count` more numbers at the end of `list`, so that appending them cannot fail. Lists grow to
/// twice their size, or `tight`, by an eighth.
template <class List>
void make_room(List& list, std::size_t count, bool tight) {
  const std::size_t size = list.size();
  if (size + count > list.capacity()) list.reserve(size + std::max(count, tight ? size / 8 + 16 : size));
}

}  // namespace neuralts
