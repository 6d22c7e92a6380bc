// Working memory of a selection: grows on first use, is reused ever after.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace neuralts {

/// A stack of buffers. take() hands out uninitialised memory, aligned to 64 bytes, valid until reset()
/// (policies call it at the start of a selection). After the first calls of a given size nothing is allocated.
/// One per thread.
class Scratch {
 public:
  template <class T>
  std::span<T> take(std::size_t count) {
    return {static_cast<T*>(bytes(count * sizeof(T))), count};
  }
  void reset() { next_ = 0; }
  /// What has been taken since mark() is free again after rewind().
  std::size_t mark() const { return next_; }
  void rewind(std::size_t mark) { next_ = mark; }

 private:
  struct Free {
    void operator()(void* p) const;
  };
  struct Buffer {
    std::unique_ptr<void, Free> memory;
    std::size_t size = 0;
  };
  void* bytes(std::size_t size);
  std::vector<Buffer> buffers_;
  std::size_t next_ = 0;
};

}  // namespace neuralts
#pragma GCC visibility pop
