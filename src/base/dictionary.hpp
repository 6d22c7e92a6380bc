// Texts and their codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace neuralts {

/// Texts and their codes, in order of appearance or as declared.
class Dictionary {
 public:
  /// Codes are stored as floats: above this number of values two of them would become one.
  static constexpr std::size_t max_values = 1u << 24;

  Dictionary() = default;
  /// A fixed list. Throws ContractError when a value stands in it twice.
  explicit Dictionary(std::vector<std::string> declared);

  /// The code of `text`; a new one unless the list is fixed, then -1.
  std::int64_t code(std::string_view text);
  const std::vector<std::string>& values() const { return values_; }
  bool fixed() const { return fixed_; }
  /// Sorts the values (as numbers when all are numbers) unless they were declared; returns old code -> new code.
  std::vector<std::uint32_t> sort();

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> codes_;
  std::vector<std::string> values_;
  bool fixed_ = false;
};

}  // namespace neuralts
