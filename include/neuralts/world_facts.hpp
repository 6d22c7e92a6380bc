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
  /// Whether its rounds are those of an earlier run, perhaps of the same seed: what is drawn in a run here then comes
  /// from seed_of_replay().
  virtual bool replays() const { return false; }
  /// What a reader of results in it should know, a sentence each.
  virtual std::vector<std::string> notes() const { return {}; }
};
/// A seed that has nothing to do with what was drawn for a run of `seed`.
std::uint64_t seed_of_replay(std::uint64_t seed);
/// Of any world; empty or false where it says nothing.
std::string world_identity(const Environment& env);
bool world_replays(const Environment& env);
std::vector<std::string> world_notes(const Environment& env);

/// The identity of the world that `text` makes, without making it: of a user's own file a hash of its bytes;
/// empty for the rest, whose name says all.
std::string environment_identity(const std::string& text);

/// Throws what make_environment(text) would throw of an unknown name or parameter, without making the world.
void check_environment(const std::string& text);

}  // namespace neuralts
#pragma GCC visibility pop
