// Arms by name: each has a block of its own, within a declared most. A retired arm's block is taken when no
// other is left.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "neuralts/archive.hpp"

namespace neuralts {

class ArmNames {
 public:
  explicit ArmNames(std::size_t most) : most_(most) {}

  struct Place {
    std::uint32_t block = 0;
    bool reused = false;  ///< it was another arm's: what was learned there must be forgotten
  };
  /// Where `name` is, or would be; nothing: there is no room.
  std::optional<Place> find(const std::string& name) const;
  /// The block of an arm that has one, retired or not.
  std::optional<std::uint32_t> known(const std::string& name) const;
  /// How many more could be taken.
  std::size_t room() const { return most_ - names_.size() + retired_.size(); }
  bool has(const std::string& name) const { return names_.count(name) > 0 && !is_retired(name); }
  /// Takes the place find() shows. A retired arm that comes back goes on where it was.
  Place take(const std::string& name);
  bool retire(const std::string& name);
  std::vector<std::string> names() const;  ///< in use, in alphabetical order

  void save(Writer& out) const;
  void load(Reader& in);

 private:
  bool is_retired(const std::string& name) const;
  std::size_t most_;
  std::map<std::string, std::uint32_t> names_;  // retired ones too, until their block is taken
  std::deque<std::string> retired_;             // longest retired first
};

}  // namespace neuralts
