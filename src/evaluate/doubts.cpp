#include <fmt/format.h>

#include "neuralts/evaluate.hpp"

namespace neuralts {

namespace {
constexpr double surprising = 0.001;  // of honest logs one in a thousand is called wrong
}

std::vector<std::string> doubts(const Diagnostics& d) {
  std::vector<std::string> words;
  if (d.n == 0) return {"no event has a reward: there is nothing to judge by"};
  if (d.ess < 50 && d.ess >= 0.5 * static_cast<double>(d.n))
    words.push_back(fmt::format("there are no more than {} events to tell from", d.n));
  else if (d.ess < 50)
    words.push_back(fmt::format(
        "the answer rests on the equivalent of {:.0f} events out of {}: the log hardly ever plays what this "
        "policy would",
        d.ess, d.n));
  if (d.max_weight > 0.1 * d.mean_weight * static_cast<double>(d.n))
    words.push_back(
        fmt::format("a single event carries more than a tenth of all weight (w = {:.4g})", d.max_weight));
  const bool support_unknown = d.calibration.empty() && d.mean_weight < 1;
  if (d.mean_weight_p < surprising)
    words.push_back(
        fmt::format("the mean weight is {:.4g} where {:.4g} was to be expected (p = {:.1g}): {}the logged "
                    "probabilities are not "
                    "those that the actions were played with",
                    d.mean_weight, 1 - d.unsupported, d.mean_weight_p,
                    support_unknown ? "this policy plays what the log hardly ever or never does, or " : ""));
  if (d.calibration_p < surprising)
    words.push_back(fmt::format(
        "actions were not played as often as their logged probabilities say (p = {:.1g})", d.calibration_p));
  if (d.unsupported > 0.01)
    words.push_back(
        fmt::format("{:.1f} % of this policy's choices are actions that the log never plays: what they would "
                    "earn is unknown "
                    "and counted as nothing, by snips and replay as what the rest earns, or as the reward model says",
                    100 * d.unsupported));
  if (d.open > 0 && static_cast<double>(d.open) > 0.05 * static_cast<double>(d.n + d.open))
    words.push_back(
        fmt::format("{} of {} rewards are still open and left out: late rewards may differ from early ones",
                    d.open, d.n + d.open));
  return words;
}

}  // namespace neuralts
