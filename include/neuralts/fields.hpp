// Objects as flat lists of named values: what JSON, Python's dictionaries, rows of a table and logs have in common.
//
//   {"country": "DE", "user": {"age": 31}, "tags": ["new", "red"], "size": [3, 4], "member": true, "city": null}
//
// is the list  country="DE"  user.age=31  tags="new"  tags="red"  size[0]=3  size[1]=4  member=true  city missing.
// Nested objects have dotted names, a list of texts is the same name again, a list of numbers carries positions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace neuralts {

/// One named value. A view: name and text belong to whoever made it.
struct Field {
  enum class Kind : std::uint8_t { missing, number, truth, text };
  std::string_view name;
  Kind kind = Kind::missing;
  double number = 0;      ///< of a number; 0 or 1 for a truth value
  std::string_view text;  ///< of a text

  static Field of(std::string_view name, double number) { return {name, Kind::number, number, {}}; }
  static Field of(std::string_view name, std::string_view text) { return {name, Kind::text, 0, text}; }
  static Field truth_of(std::string_view name, bool truth) { return {name, Kind::truth, truth ? 1.0 : 0.0, {}}; }
  static Field missing_of(std::string_view name) { return {name, Kind::missing, 0, {}}; }
  bool operator==(const Field&) const = default;
};

/// An object.
using Fields = std::span<const Field>;

/// Objects with memory of their own, one per row: names and texts are copied in. clear() keeps the memory, so
/// that a table used again and again allocates nothing after the first objects of a size.
class FieldTable {
 public:
  FieldTable() = default;
  FieldTable(const FieldTable& other) { append(other); }
  FieldTable(FieldTable&&) noexcept = default;
  FieldTable& operator=(const FieldTable& other);
  FieldTable& operator=(FieldTable&&) noexcept = default;

  void clear();
  /// A new, empty row at the end; add() puts fields into it. Returns its index.
  std::size_t start_row();
  /// REQUIRES a row. Views stay valid until clear().
  void add(const Field& field);
  void add_row(Fields fields);
  void append(const FieldTable& other);

  std::size_t rows() const { return starts_.size(); }
  bool empty() const { return starts_.empty(); }
  /// Views of names and texts hold until clear(); the list itself until the next change.
  Fields row(std::size_t i) const;
  bool operator==(const FieldTable& other) const;

 private:
  std::string_view keep(std::string_view text);

  struct Chunk {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
  };
  std::vector<Chunk> chunks_;           // never moved: views point into them
  std::size_t chunk_ = 0, used_ = 0;    // where the next text goes
  std::vector<Field> fields_;
  std::vector<std::size_t> starts_;     // of each row in fields_
};

/// {"context": {...}, "actions": [{"id": ...}, "an id alone", ...]}: row 0 the context, then a row per action.
/// Throws Error(bad_input, where).
FieldTable parse_objects(std::string_view json, const std::string& where = "objects");

}  // namespace neuralts
#pragma GCC visibility pop
