// What results need to know of a world beyond its shape: whether it is the same as the last time, and what to
// tell of it.
#pragma once

#include <string>
#include <vector>

#include "neuralts/environment.hpp"

#pragma GCC visibility push(default)
namespace neuralts {

/// A world that has something to say implements this beside Environment.
class WorldFacts {
 public:
  virtual ~WorldFacts() = default;
  /// What a name does not say: a hash of the data, a version its author gives. Results of another identity are
  /// not used again.
  virtual std::string identity() const { return {}; }
  /// What a reader of results in it should know, a sentence each.
  virtual std::vector<std::string> notes() const { return {}; }
};
/// Of any world; empty where it says nothing.
std::string world_identity(const Environment& env);
std::vector<std::string> world_notes(const Environment& env);

/// The identity of the world that `text` makes, without making it: of a user's own file a hash of its bytes;
/// empty for the rest, whose name says all.
std::string environment_identity(const std::string& text);

}  // namespace neuralts
#pragma GCC visibility pop
