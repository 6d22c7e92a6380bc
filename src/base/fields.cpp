#include "neuralts/fields.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

namespace neuralts {

FieldTable& FieldTable::operator=(const FieldTable& other) {
  if (this == &other) return *this;
  clear();
  append(other);
  return *this;
}

void FieldTable::clear() {
  chunk_ = used_ = 0;
  fields_.clear();
  starts_.clear();
}

std::size_t FieldTable::start_row() {
  starts_.push_back(fields_.size());
  return starts_.size() - 1;
}

void FieldTable::add(const Field& field) {
  fields_.push_back({keep(field.name), field.kind, field.number, keep(field.text)});
}

void FieldTable::add_row(Fields fields) {
  const std::less<> before;
  const Field *const first = fields_.data(), *const end = first + fields_.size();
  // A row of this table moves while the table grows.
  if (!fields.empty() && !before(fields.data(), first) && before(fields.data(), end))
    return add_row(std::vector<Field>(fields.begin(), fields.end()));
  start_row();
  for (const Field& field : fields) add(field);
}

void FieldTable::append(const FieldTable& other) {
  for (std::size_t i = 0, rows = other.rows(); i < rows; ++i) add_row(other.row(i));
}

Fields FieldTable::row(std::size_t i) const {
  const std::size_t end = i + 1 < starts_.size() ? starts_[i + 1] : fields_.size();
  return Fields(fields_).subspan(starts_[i], end - starts_[i]);
}

bool FieldTable::operator==(const FieldTable& other) const {
  return starts_ == other.starts_ && fields_ == other.fields_;
}

std::string_view FieldTable::keep(std::string_view text) {
  constexpr std::size_t usual = 4096;
  if (text.empty()) return {};
  while (chunk_ < chunks_.size() && chunks_[chunk_].size - used_ < text.size()) {
    ++chunk_;
    used_ = 0;
  }
  if (chunk_ >= chunks_.size()) {
    const std::size_t size = std::max(usual, text.size());
    chunk_ = chunks_.size();
    used_ = 0;
    chunks_.push_back({std::make_unique<char[]>(size), size});
  }
  char* place = chunks_[chunk_].bytes.get() + used_;
  std::memcpy(place, text.data(), text.size());
  used_ += text.size();
  return {place, text.size()};
}

}  // namespace neuralts
