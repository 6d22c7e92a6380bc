// The parameters of a thing (a policy, a world): documented keys, presets, typed values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "neuralts/params.hpp"

namespace neuralts {

/// Values in force, read by type. Every getter throws Error(bad_spec) that names the key, the value and the allowed range.
class Settings {
 public:
  Settings(std::string where, std::vector<ParamInfo> table, Params values);

  bool is(const std::string& key, const std::string& value) const { return text(key) == value; }
  const std::string& text(const std::string& key) const;
  /// One of `choices`, as its index.
  std::size_t choice(const std::string& key, const std::vector<std::string>& choices) const;
  double number(const std::string& key, double min, double max) const;     ///< min and max included
  double positive(const std::string& key) const;                           ///< > 0, finite
  std::size_t count(const std::string& key, std::size_t min, std::size_t max = 1'000'000'000) const;
  bool flag(const std::string& key) const;                                 ///< true | false
  const Params& values() const { return values_; }
  [[noreturn]] void refuse(const std::string& key) const;

 private:
  std::string where_;
  std::vector<ParamInfo> table_;
  Params values_;
};

/// Defaults of `table`, then `preset`, then `given`. Throws Error(bad_spec) for a key that is not in `table`, naming the nearest.
Settings resolve(const std::string& where, const std::vector<ParamInfo>& table, const Params& preset, const Params& given);

}  // namespace neuralts
