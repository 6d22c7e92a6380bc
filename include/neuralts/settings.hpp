// The parameters of a thing (a policy, a world): documented keys, presets, typed values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "neuralts/param_range.hpp"
#include "neuralts/params.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

/// Values in force, read by type and checked against the range that the table states for people (param_range.hpp).
/// Every getter throws Error(bad_spec) that names the key, the value and the allowed range, and ContractError for a
/// key that is not in the table.
class Settings {
 public:
  Settings(std::string where, const std::vector<ParamInfo>& table, Params values);

  /// Whether the value is this word. REQUIRES: the range offers the word (ContractError otherwise).
  bool is(const std::string& key, const std::string& word) const;
  /// As it stands, whatever it is.
  const std::string& text(const std::string& key) const;
  /// The place of the value among the words of the range, in the order of its text.
  std::size_t choice(const std::string& key) const;
  double number(const std::string& key) const;
  /// A whole number.
  std::size_t count(const std::string& key) const;
  /// For the range "true | false".
  bool flag(const std::string& key) const { return is(key, "true"); }
  const Params& values() const { return values_; }
  [[noreturn]] void refuse(const std::string& key) const;
  /// Throws where a value is outside its range.
  void check() const;

 private:
  struct Allowed {
    std::string text;
    ParamRange range;
  };
  const ParamRange& range(const std::string& key) const;

  std::string where_;
  std::map<std::string, Allowed> allowed_;
  Params values_;
};

/// Defaults of `table`, then `preset`, then `given`, all checked. Throws Error(bad_spec) for a key that is not in
/// `table`, naming the nearest, and for a value outside its range.
Settings resolve(const std::string& where, const std::vector<ParamInfo>& table, const Params& preset,
                 const Params& given);

}  // namespace neuralts
#pragma GCC visibility pop
