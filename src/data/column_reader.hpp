// From the cells of one column to numbers: numeric until a cell proves otherwise, or nominal.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dictionary.hpp"
#include "base/line_reader.hpp"
#include "data/table.hpp"
#include "neuralts/error.hpp"

namespace neuralts {

class ColumnReader {
 public:
  enum class Kind { undecided, numeric, nominal, declared_numeric };
  ColumnReader(std::string name, std::size_t position, Kind kind)
      : name_(std::move(name)), position_(position), kind_(kind) {}
  ColumnReader(std::string name, std::size_t position, Dictionary declared)
      : name_(std::move(name)), position_(position), kind_(Kind::nominal), dictionary_(std::move(declared)) {}

  /// The number that stands for `cell`: missing_value, the number itself, or a nominal value's code.
  /// Throws Error(bad_input) for a value outside a declared list; of numbers that do not fit, check() tells.
  float read(std::string_view cell, const LineReader& at);
  /// The reward in `cell`: a number, and there must be one.
  float read_reward(std::string_view cell, const LineReader& at) const;
  /// The column holds class labels: every text is a value.
  void make_nominal() { kind_ = Kind::nominal; }
  /// The code of a class label; there must be one.
  std::uint32_t read_label(std::string_view cell, const LineReader& at);

  /// To be called behind the last row. Throws Error(bad_input) for the first cell that is wrong in a column of numbers
  /// and may be right among words: a number too large, NA for a label.
  void check() const;

  /// Numbers were read, or "NA" for none, before the first cell that is a word: what has been read so far is not
  /// what it should be.
  bool contradicted() const { return contradicted_; }
  const std::string& name() const { return name_; }
  /// Nominal without a list given beforehand: its codes are not known before the last row.
  bool is_open() const { return kind_ == Kind::nominal && !dictionary_.fixed(); }
  Dictionary& dictionary() { return dictionary_; }
  Column describe() const { return {name_, kind_ == Kind::nominal, dictionary_.values(), missing_}; }

 private:
  float read_nominal(std::string_view cell, const LineReader& at);
  Error unfit(std::string_view cell, std::optional<double> number, const LineReader& at) const;
  void doubt(Error problem);
  bool holds_numbers() const;
  Error error(const LineReader& at, const std::string& expected, std::string_view cell, const std::string& hint) const;
  [[noreturn]] void fail(const LineReader& at, const std::string& expected, std::string_view cell,
                         const std::string& hint) const;

  std::string name_;
  std::size_t position_;
  Kind kind_;
  bool contradicted_ = false;
  bool passed_over_ = false;  // a cell that would be a value among words
  std::optional<Error> doubt_{};
  std::size_t missing_ = 0;
  Dictionary dictionary_;
};

bool is_missing(std::string_view cell);

}  // namespace neuralts
