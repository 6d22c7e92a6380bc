// Tells a text that comes a second time; cheap while there are few.
#pragma once

#include <array>
#include <bitset>
#include <string_view>
#include <unordered_set>

#include "base/text_hash.hpp"

namespace neuralts::serve {

/// The texts are views: they outlive it.
class SeenTexts {
 public:
  /// False: it was there already.
  bool add(std::string_view text) {
    const std::size_t bit = hash_text(text) % bits;
    if (filter_[bit] && has(text)) return false;
    filter_[bit] = true;
    if (count_ < few)
      texts_[count_++] = text;
    else
      more_.insert(text);
    return true;
  }

 private:
  bool has(std::string_view text) const {
    for (std::size_t i = 0; i < count_; ++i)
      if (texts_[i] == text) return true;
    return more_.contains(text);
  }
  static constexpr std::size_t bits = 512, few = 64;
  std::bitset<bits> filter_;
  std::array<std::string_view, few> texts_;
  std::size_t count_ = 0;
  std::unordered_set<std::string_view> more_;
};

}  // namespace neuralts::serve
