// A value that many threads read while one puts another in its place.
//
// What std::atomic<std::shared_ptr> is for. GCC 12's releases its lock relaxed after a load, which is a data
// race by the standard's letter and one that a thread sanitizer reports; a mutex of two loads and a count costs
// no more.
#pragma once

#include <memory>
#include <mutex>

namespace neuralts {

template <class T>
class SharedCell {
 public:
  SharedCell() = default;
  explicit SharedCell(std::shared_ptr<T> value) : value_(std::move(value)) {}

  std::shared_ptr<T> load() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }
  void store(std::shared_ptr<T> value) {
    const std::lock_guard lock(mutex_);
    value_.swap(value);  // the argument outlives the lock
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<T> value_;
};

}  // namespace neuralts
