// The figures of the paper (Zhang, Zhou, Li, Gu: Neural Thompson Sampling, ICLR 2021, appendix A.2), in one place.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace neuralts {

struct Published {
  std::string policy, env;
  double mean, sd;       ///< total regret of 20 runs
  std::string standing;  ///< wins/ties/losses against the seven others
};

/// The horizon of the published figures in `env`.
std::size_t published_rounds(const std::string& env);
/// Null where nothing was published.
const Published* published(const std::string& policy, const std::string& env);
/// In the order of the paper's table.
const std::vector<std::string>& published_policies();
const std::vector<std::string>& published_envs();

}  // namespace neuralts
