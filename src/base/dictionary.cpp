#include "base/dictionary.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

Dictionary::Dictionary(std::vector<std::string> declared) : values_(std::move(declared)), fixed_(true) {
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (!codes_.emplace(values_[i], static_cast<std::uint32_t>(i)).second)
      throw ContractError("the value '" + values_[i] + "' is declared twice");
}

std::int64_t Dictionary::code(std::string_view text) {
  if (const auto found = codes_.find(text); found != codes_.end()) return found->second;
  if (fixed_ || values_.size() == max_values) return -1;
  values_.emplace_back(text);
  codes_.emplace(text, static_cast<std::uint32_t>(values_.size() - 1));
  return static_cast<std::int64_t>(values_.size() - 1);
}

std::vector<std::uint32_t> Dictionary::sort() {
  std::vector<std::uint32_t> order(values_.size()), rank(values_.size());
  std::iota(order.begin(), order.end(), 0);
  if (!fixed_) {
    std::vector<std::optional<double>> numbers;
    for (const auto& value : values_) numbers.push_back(parse_number(value));
    const bool numeric = std::all_of(numbers.begin(), numbers.end(),
                                     [](const auto& n) { return n && std::isfinite(*n); });
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return numeric && numbers[a] != numbers[b] ? numbers[a] < numbers[b] : values_[a] < values_[b];
    });
  }
  std::vector<std::string> sorted;
  for (std::size_t i = 0; i < order.size(); ++i) {
    rank[order[i]] = static_cast<std::uint32_t>(i);
    sorted.push_back(std::move(values_[order[i]]));
  }
  values_ = std::move(sorted);
  for (std::size_t i = 0; i < values_.size(); ++i) codes_[values_[i]] = static_cast<std::uint32_t>(i);
  return rank;
}

}  // namespace neuralts
