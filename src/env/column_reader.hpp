// From the cells of one column to numbers: numeric until a cell proves otherwise, or nominal.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "env/line_reader.hpp"
#include "env/table.hpp"

namespace neuralts {

/// Texts and their codes, in order of appearance or as declared.
class Dictionary {
 public:
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

class ColumnReader {
 public:
  enum class Kind { undecided, numeric, nominal, declared_numeric };
  ColumnReader(std::string name, std::size_t position, Kind kind) : name_(std::move(name)), position_(position), kind_(kind) {}
  ColumnReader(std::string name, std::size_t position, Dictionary declared)
      : name_(std::move(name)), position_(position), kind_(Kind::nominal), dictionary_(std::move(declared)) {}

  /// The number that stands for `cell`: missing_value, the number itself, or a nominal value's code.
  /// Throws Error(bad_input) for a number that is not finite and for a value outside a declared list.
  float read(std::string_view cell, const LineReader& at);
  /// The column holds class labels: every text is a value.
  void make_nominal() { kind_ = Kind::nominal; }
  /// The code of a class label; there must be one.
  std::uint32_t read_label(std::string_view cell, const LineReader& at);

  /// Numbers were read before the first cell that is none: what has been read so far is not what it should be.
  bool contradicted() const { return contradicted_; }
  const std::string& name() const { return name_; }
  /// Nominal without a list given beforehand: its codes are not known before the last row.
  bool is_open() const { return kind_ == Kind::nominal && !dictionary_.fixed(); }
  Dictionary& dictionary() { return dictionary_; }
  Column describe() const { return {name_, kind_ == Kind::nominal, dictionary_.values(), missing_}; }

 private:
  float read_nominal(std::string_view cell, const LineReader& at);
  [[noreturn]] void fail(const LineReader& at, const std::string& expected, std::string_view cell, const std::string& hint) const;

  std::string name_;
  std::size_t position_;
  Kind kind_;
  bool contradicted_ = false;
  std::size_t missing_ = 0;
  Dictionary dictionary_;
};

bool is_missing(std::string_view cell);

/// `cell` in quotes, shortened when it is long: for messages.
std::string shown(std::string_view cell);

}  // namespace neuralts
