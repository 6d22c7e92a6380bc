// How many connections there are, in all and by address.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace neuralts::serve {

/// Any thread.
class Census {
 public:
  Census(std::size_t all_max, std::size_t each_max) : all_max_(all_max), each_max_(each_max) {}

  /// False: there are too many, and this one is not counted.
  bool enter(const std::string& address) {
    const std::lock_guard lock(mutex_);
    const auto found = by_address_.find(address);
    if (all_ >= all_max_ || (found != by_address_.end() && found->second >= each_max_)) return false;
    ++all_, ++by_address_[address];
    return true;
  }
  void leave(const std::string& address) {
    const std::lock_guard lock(mutex_);
    --all_;
    if (--by_address_[address] == 0) by_address_.erase(address);
  }
  std::size_t all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  mutable std::mutex mutex_;
  const std::size_t all_max_, each_max_;
  std::size_t all_ = 0;
  std::map<std::string, std::size_t> by_address_;
};

}  // namespace neuralts::serve
