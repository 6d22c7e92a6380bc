#include "serve/field_bytes.hpp"

#include <algorithm>
#include <limits>

#include "serve/bytes.hpp"

namespace neuralts::serve {

namespace {

enum class Tag : std::uint8_t { missing, no, yes, single, wide, text };

constexpr std::size_t all_actions = std::numeric_limits<std::size_t>::max();
constexpr std::size_t names_searched = 64;  // further names may stand twice: that costs bytes, not time

/// The row's actions mostly name their fields in the same order: the name that stood at this position before is
/// tried first.
class Names {
 public:
  std::uint32_t index_of(std::string_view name, std::size_t position) {
    if (position < guesses_.size() && names_[guesses_[position]] == name) return guesses_[position];
    const std::uint32_t index = find_or_add(name);
    if (position >= guesses_.size()) guesses_.resize(position + 1);
    return guesses_[position] = index;
  }
  const std::vector<std::string_view>& all() const { return names_; }

 private:
  std::uint32_t find_or_add(std::string_view name) {
    const auto end = names_.begin() + static_cast<std::ptrdiff_t>(std::min(names_.size(), names_searched));
    const auto found = std::find(names_.begin(), end, name);
    if (found != end) return static_cast<std::uint32_t>(found - names_.begin());
    names_.push_back(name);
    return static_cast<std::uint32_t>(names_.size() - 1);
  }
  std::vector<std::string_view> names_;
  std::vector<std::uint32_t> guesses_;
};

void put_value(std::string& out, const Field& field) {
  switch (field.kind) {
    case Field::Kind::missing: return put(out, Tag::missing);
    case Field::Kind::truth: return put(out, field.number != 0 ? Tag::yes : Tag::no);
    case Field::Kind::text: return put(out, Tag::text), put_text(out, field.text);
    case Field::Kind::number: break;
  }
  const auto single = static_cast<float>(field.number);
  if (static_cast<double>(single) == field.number) return put(out, Tag::single), put(out, single);
  put(out, Tag::wide);
  put(out, field.number);
}

void put_row(std::string& out, Fields row, Names& names) {
  put_count(out, row.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    put_count(out, names.index_of(row[i].name, i));
    put_value(out, row[i]);
  }
}

std::string with_names(const std::string& rows, const Names& names) {
  std::string out;
  std::size_t size = rows.size() + 8;
  for (const auto name : names.all()) size += name.size() + 2;
  out.reserve(size);
  put_count(out, names.all().size());
  for (const auto name : names.all()) put_text(out, name);
  return out += rows;
}

Field field_in(Cursor& in, std::string_view name) {
  switch (in.get<Tag>()) {
    case Tag::missing: return Field::missing_of(name);
    case Tag::no: return Field::truth_of(name, false);
    case Tag::yes: return Field::truth_of(name, true);
    case Tag::single: return Field::of(name, static_cast<double>(in.get<float>()));
    case Tag::wide: return Field::of(name, in.get<double>());
    case Tag::text: return Field::of(name, in.text());
  }
  Cursor::damaged();
}

void read_row(Cursor& in, const std::vector<std::string_view>& names, FieldTable* out) {
  if (out != nullptr) out->start_row();
  for (std::size_t n = in.size(); n > 0; --n) {
    const std::uint32_t name = in.index();
    if (name >= names.size()) Cursor::damaged();
    const Field field = field_in(in, names[name]);
    if (out != nullptr) out->add(field);
  }
}

void read(std::string_view bytes, std::size_t action, FieldTable& out) {
  thread_local std::vector<std::string_view> names;
  out.clear();
  Cursor in(bytes);
  names.resize(in.size());
  for (auto& name : names) name = in.text();
  const std::size_t rows = in.size();
  for (std::size_t row = 0; row < rows; ++row) {
    const bool wanted = row == 0 || action == all_actions || row == 1 + action;
    read_row(in, names, wanted ? &out : nullptr);
  }
  if (!in.at_end() || rows == 0 || (action != all_actions && out.rows() != 2)) Cursor::damaged();
}

}  // namespace

std::string field_bytes(const FieldTable& table) {
  Names names;
  std::string rows;
  put_count(rows, table.rows());
  for (std::size_t i = 0; i < table.rows(); ++i) put_row(rows, table.row(i), names);
  return with_names(rows, names);
}

std::string field_bytes_of(const FieldTable& table, std::size_t action) {
  Names names;
  std::string rows;
  put_count(rows, 2);
  put_row(rows, table.row(0), names);
  put_row(rows, table.row(1 + action), names);
  return with_names(rows, names);
}

void read_fields(std::string_view bytes, FieldTable& out) { read(bytes, all_actions, out); }
void read_fields_of(std::string_view bytes, std::size_t action, FieldTable& out) { read(bytes, action, out); }

}  // namespace neuralts::serve
