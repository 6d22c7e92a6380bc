// What a parameter may be, read from the text that people read: the table's range is its check.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace neuralts {

/// Alternatives between " | ", each one of
///   word         this word                          auto
///   A .. B       a number, A and B included         0 .. 1
///   > A, >= A    a number, with "and" for more      > 0 and < 1
///   a number     any number
///   word:X       the word, a colon, more text       every:B
///   a thing      any text: the reader checks it     a path
/// What follows a comma is for people, and checked by the reader. Numbers are 0 or normal: no infinity, no NaN, no
/// subnormal.
class ParamRange {
 public:
  /// Throws ContractError for a text that is none of these.
  explicit ParamRange(std::string_view text);

  bool holds(std::string_view value) const;
  /// The value as a number, when the range allows it.
  std::optional<double> number(std::string_view value) const;
  /// The value's place among the words, when it is one.
  std::optional<std::size_t> word(std::string_view value) const;

 private:
  struct Bound {
    std::string comparison;
    double limit;
  };
  using Interval = std::vector<Bound>;  // all hold; none: any number

  void add(std::string_view alternative);
  static std::optional<Interval> interval(std::string_view alternative);
  static std::optional<Bound> bound(std::string_view text);
  static bool within(double value, const Bound& bound);

  std::vector<std::string> words_, prefixes_;
  std::vector<Interval> intervals_;
  bool any_text_ = false;
};

}  // namespace neuralts
#pragma GCC visibility pop
