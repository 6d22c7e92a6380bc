// Which object this is, and which state of it: what a copy kept elsewhere (on a device) was made of.
#pragma once

#include <atomic>
#include <cstdint>

namespace neuralts {

/// No two living objects have the same `history`; a copy is another object. `generation` counts changes after
/// which what was there before is not what is there now; adding at the end is none.
class Identity {
 public:
  Identity() = default;
  Identity(const Identity&) {}
  Identity& operator=(const Identity&) {
    changed();
    return *this;
  }

  std::uint64_t history() const { return history_; }
  std::uint64_t generation() const { return generation_; }
  void changed() { ++generation_; }

 private:
  static std::uint64_t next() {
    static std::atomic<std::uint64_t> count{0};
    return ++count;
  }
  std::uint64_t history_ = next(), generation_ = 0;
};

}  // namespace neuralts
