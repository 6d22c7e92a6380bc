// Saved policies, agents and models: one container (doc/formats.md).
//
// Layout: magic "NTSPOLCY", u32 version, u32 crc32 of what follows, then sections, each a tag of four letters,
// a u64 length and its bytes: `spec` (name, preset, parameters given, every parameter in force, shape, seed),
// `strm` (an agent's stream), `encd` (an encoder), `stat` (a learner's state) or `modl` (a model's). The
// version is raised when the layout of any of them changes.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "neuralts/policy.hpp"

namespace neuralts {

constexpr std::uint32_t policy_file_version = 14;
/// Versions 3 and 4 are read, too, but for policies with ridges beside their network, whose state has changed
/// since. Versions 5 to 11 lack what a policy takes as new, makes again of its rounds, or does without, where it is
/// not there (Hopes, ContextSizes, EarlyKernel, bends, neighbours and the logistic line of ExactPaths, the largest reward of ArmMeans).
constexpr std::uint32_t oldest_policy_file_version = 3, oldest_with_ridges = 5;

/// What a file holds besides the specification.
struct SavedParts {
  std::optional<Stream::State> stream = {};
  std::vector<char> encoder = {};  ///< empty: none
};

std::vector<char> encode_policy(const Learner& learner, const SavedParts& parts);

struct SavedPolicy {
  std::unique_ptr<Learner> learner;
  SavedParts parts;
};
/// Throws Error(corrupt | unsupported), naming `where`.
SavedPolicy decode_policy(std::span<const char> bytes, const std::string& where);

/// A learner with the values that were in force when it was saved, whatever its preset has become. Refuses,
/// before anything is allocated, a specification whose state cannot fit in `state_bytes`.
std::unique_ptr<Learner> make_saved_learner(const PolicySpec& spec, const Params& in_force,
                                            const std::string& where, std::size_t state_bytes);

}  // namespace neuralts
