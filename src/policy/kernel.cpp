// Kernel Thompson sampling and kernel UCB: a Gaussian process belief with either rule.
#include "model/kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/standardised.hpp"
#include "policy/registry.hpp"
#include "policy/standardised_params.hpp"

namespace neuralts {

namespace {

std::vector<ParamInfo> table(const std::string& nu) {
  return {
      {"nu", nu, "0 .. 1e6", "exploration: the width is multiplied by it; 0 is greedy, the published grid is 1, 0.1, 0.01"},
      {"lambda", "1", "> 0", "noise added to the kernel matrix: larger trusts single rewards less and smooths more"},
      {"kernel", "laplacian", "laplacian | rbf | ntk",
       "exp(-|x-y|/length), exp(-|x-y|^2/(2 length^2)), or the tangent kernel of an infinitely wide network: the limit of neural-ts"},
      {"length", "1", "> 0", "length scale of laplacian and rbf: larger generalises farther; ntk has none"},
      {"depth", "2", "2 .. 100", "of the network whose tangent kernel is taken (kernel=ntk)"},
      {"cap", "1000", "1 .. 100000", "points held at most: memory grows with its square, so does the time of a decision"},
      {"at_cap", "stop", "stop | replace",
       "stop: learning ends there, as published; replace: the oldest tenth makes room, which follows a world that changes"},
      {"dialect", "paper", "paper | released",
       "what nu multiplies: the width (paper), or with its root the width's square times lambda, as the program behind the published "
       "table has it (released): standard deviation sqrt(lambda nu) width"},
      inputs_info(),
      rewards_info(),
      {"intercept", "0", "0 .. 1e6",
       "where arms have weights of their own, a constant of this size behind every context: how far arms are apart where contexts are alike"},
  };
}

// The published runs took the best of three nu; doc/results.md has the figures of each.
std::map<std::string, Params> presets(const std::string& released_nu) {
  return {{"paper", {{"nu", "0.1"}}}, {"released", {{"nu", released_nu}, {"dialect", "released"}}},
          {"tuned", {{"inputs", "standardised"}, {"rewards", "standardised"}, {"intercept", "0.25"}}}};
}

KernelSettings kernel_settings(const Settings& settings) {
  using Kind = KernelFunction::Kind;
  KernelSettings out;
  out.function.kind = std::array{Kind::laplacian, Kind::rbf, Kind::ntk}[settings.choice("kernel")];
  out.function.length = settings.number("length");
  out.function.depth = settings.count("depth");
  out.lambda = settings.number("lambda");
  out.cap = settings.count("cap");
  out.replace = settings.is("at_cap", "replace");
  return out;
}

// At the cap a belief that stops learning has nothing more to fit a scale for.
std::unique_ptr<Belief> make_belief(const PolicySpec& spec, const Settings& settings) {
  const double intercept = spec.shape.blocks > 1 ? settings.number("intercept") : 0;  // one for all tells nothing
  StandardisedSettings standardised = read_standardised(settings, spec.shape, intercept);
  const KernelSettings kernel = kernel_settings(settings);
  standardised.settled = std::min(standardised.settled, kernel.cap);
  KernelBelief plain(standardised.inner_shape(), kernel);
  if (!changes_anything(standardised)) return std::make_unique<KernelBelief>(std::move(plain));
  return std::make_unique<StandardisedBelief<KernelBelief>>(standardised, plain);
}

// What multiplies the width.
double scale_of(const Settings& settings) {
  const double nu = settings.number("nu");
  return settings.is("dialect", "released") ? std::sqrt(settings.number("lambda") * nu) : nu;
}

template <auto make_rule>
std::unique_ptr<Learner> make(const PolicySpec& spec, const Settings& settings) {
  return make_belief_learner(spec, settings.values(), make_belief(spec, settings), make_rule(scale_of(settings)));
}

}  // namespace

PolicyEntry kernel_ts_entry() {
  return {{.name = "kernel-ts",
           .summary = "kernel regression, plays the largest draw from the posterior of each arm",
           .reference = "Chowdhury, Gopalan: On Kernelized Multi-armed Bandits, ICML 2017",
           .params = table("0.1"),
           .presets = presets("0.01"),
           .default_preset = "tuned"},
          &make<&make_thompson>, false, least_standardised_state};
}

PolicyEntry kernel_ucb_entry() {
  return {{.name = "kernel-ucb",
           .summary = "kernel regression, plays the largest upper confidence bound",
           .reference = "Valko, Korda, Munos, Flaounas, Cristianini: Finite-Time Analysis of Kernelised "
                        "Contextual Bandits, UAI 2013",
           .params = table("1"),
           .presets = presets("0.1"),
           .default_preset = "tuned"},
          &make<&make_ucb>,
          false,
          least_standardised_state};
}

}  // namespace neuralts
