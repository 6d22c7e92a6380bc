#include "model/common_columns.hpp"

#include <algorithm>

#include "base/most_told.hpp"

namespace neuralts {

void CommonColumns::see(const Contexts& contexts) {
  if (contexts.arms() < 2) return;
  const auto first = contexts[0].values;
  if (columns_.empty()) {
    std::vector<std::uint8_t> columns(first.size(), 0);
    first_.assign(first.begin(), first.end());
    columns_.swap(columns);
  }
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (first[i] != first_[i]) columns_[i] |= between;
  for (std::size_t arm = 1; arm < std::min(contexts.arms(), most_told); ++arm) {
    const auto other = contexts[arm].values;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (other[i] != first[i]) columns_[i] |= within;
  }
  common_ = static_cast<std::size_t>(std::count_if(columns_.begin(), columns_.end(), is_common));
}

void CommonColumns::save(Writer& out) const {
  out.values(columns_);
  out.values(first_);
}

void CommonColumns::load(Reader& in, std::size_t length) {
  columns_ = in.values<std::uint8_t>();
  if (!columns_.empty() && columns_.size() != length) in.fail();
  first_ = in.values<double>(columns_.size());
  common_ = static_cast<std::size_t>(std::count_if(columns_.begin(), columns_.end(), is_common));
}

}  // namespace neuralts
