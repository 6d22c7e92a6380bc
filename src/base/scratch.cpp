#include "neuralts/scratch.hpp"

#include <new>

namespace neuralts {

namespace {
constexpr std::align_val_t alignment{64};
}

void Scratch::Free::operator()(void* p) const { ::operator delete(p, alignment); }

void* Scratch::bytes(std::size_t size) {
  if (next_ == buffers_.size()) buffers_.emplace_back();
  Buffer& buffer = buffers_[next_++];
  if (buffer.size < size || !buffer.memory) {
    buffer.memory.reset(::operator new(size, alignment));
    buffer.size = size;
  }
  return buffer.memory.get();
}

}  // namespace neuralts
