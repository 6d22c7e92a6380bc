// The promises of journal.hpp, for every engine: an engine is an EngineCase, and INSTANTIATE_TEST_SUITE_P(...,
// JournalTest, ...).
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "serve/journal/journal.hpp"

namespace neuralts::serve {

/// A journal that can be closed and opened again.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual Journal& journal() = 0;
  virtual void reopen() = 0;
  virtual void rotate_soon() = 0;   ///< small segments from the next reopen() on
};

struct EngineCase {
  const char* name;
  std::function<std::unique_ptr<Engine>()> make;
};

class JournalTest : public testing::TestWithParam<EngineCase> {
 protected:
  std::unique_ptr<Engine> engine_ = GetParam().make();
  Journal& journal() { return engine_->journal(); }
  std::vector<Record> all(std::uint32_t loop) {
    std::vector<Record> out;
    journal().reader()->read(0, 100000, loop, out);
    return out;
  }
};

}  // namespace neuralts::serve
