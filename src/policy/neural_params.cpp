#include "policy/neural.hpp"

#include <algorithm>
#include <cmath>

namespace neuralts {

std::vector<ParamInfo> neural_params() {
  return network_params_and({
      {"nu", "0.1", "0 .. 1e15", "exploration: factor of the width; 0 is greedy"},
      {"exploration", "nu", "nu | sqrt-nu", "the width's factor: nu as published, sqrt(nu) as released"},
      {"calibrate", "false", "true | false", "width in units of the recent residuals' standard deviation: less exploration once predictions are good"},
      {"averaging", "0", "0 .. 1", "decide by the mean of the weights over about this share of the rounds, which mini-batches need; 0: the last weights"},
      {"beside", "nothing", "nothing | ridge",
       "ridge: a line and a curve with an intercept per arm, and more as below, beside the network, each believed as far as it predicts, and widths that set "
       "themselves; made for inputs and rewards standardised"},
      {"ridge-every", "1", "auto | 1 .. 1000", "rounds that line and curve take in together (beside=ridge): more cost less time each, and are known later; never more than a 32nd of all; auto: a 20,000th of all, at most 8"},
      {"kernel", "false", "true | false",
       "where arms have weights of their own and too many columns for a curve, a kernel over the first rounds of each stands in its place "
       "(beside=ridge)"},
      {"bends", "false", "true | false",
       "where arms have weights of their own and not too many columns, functions of one column each, broken lines, are learned beside line "
       "and curve (beside=ridge)"},
      {"neighbours", "false", "true | false",
       "what the nearest of the newest rounds paid is a forecast beside line and curve, for contexts that come again nearly as they were "
       "(beside=ridge)"},
      {"logistic", "false", "true | false",
       "where arms have weights of their own and rewards take two values (clicked or not), the line is one of the logarithm of the "
       "odds (beside=ridge)"},
      {"early", "nothing", "nothing | kernel",
       "kernel: what contexts like this one paid (the belief of kernel-ucb) decides for a hundred rounds, and less and less for three "
       "hundred more, where arms have weights of their own; for two hundred, where actions are told by a few columns and have the "
       "others in common (beside=ridge)"},
      {"early-intercept", "0", "auto | 0 .. 1e6",
       "the `intercept` of that kernel: how far arms with weights of their own are apart where contexts are alike; auto: "
       "0.25 sqrt(2 / arms) (early=kernel)"},
      {"posterior", "auto", "auto | exact | diagonal", "the design matrix U: whole, its diagonal, or exact while it fits in `budget` and `work`"},
      {"budget", "64", "1 .. 16777216", "MiB the exact posterior may hold before `auto` turns to a bounded approximation"},
      {"work", "0", "0 .. 1e9", "million multiplications a decision's widths may cost before `auto` takes those exact in the last layer and diagonal below; 25 are about a millisecond; 0: any number"},
      {"normaliser", "units", "units | one", "what divides g g' in U: m as published, 1 as released"},
      {"factor", "auto", "auto | float32 | float64", "precision of the exact posterior's factor; auto: that of `precision`"},
      {"design", "rewarded", "played | rewarded", "which event grows U; with late rewards, played narrows the width at once"},
      {"grow", "after", "before | after", "with design=rewarded: U grows before or after training on the round"},
      {"horizon", "known", "known | doubling", "doubling: forget and restart before rounds 2, 4, 8, ..., the trick for an unknown horizon"},
  });
}

namespace {

// doc/exploration-log.md has how it was chosen.
Params tuned() {
  return {{"lambda", "0.1"},   {"nu", "0.7"},         {"beside", "ridge"},    {"posterior", "diagonal"},
          {"step", "auto"},    {"batch", "256"},      {"iterations", "auto"}, {"train", "auto"},
          {"moments", "kept"}, {"averaging", "0.01"}, {"work", "25"},         {"ridge-every", "auto"},
          {"kernel", "true"},  {"bends", "true"},     {"neighbours", "true"}, {"logistic", "true"},
          {"early", "kernel"}, {"early-intercept", "auto"}, {"forget", "auto"}};
}

// One step of a small batch every round while there is much to learn from each, every eighth in the long run
// and where a step is large. Neighbours would cost a sixth of the rounds learned in a second.
Params fast() {
  Params params = tuned_network();
  for (const auto& [key, value] : tuned()) params[key] = value;
  params["iterations"] = "1";
  params["train"] = "auto:1..8";
  params["ridge-every"] = "8";
  params["neighbours"] = "false";
  params["logistic"] = "false";
  params["forget"] = "never";
  return params;
}

}  // namespace

std::map<std::string, Params> neural_presets() {
  return network_presets_and({
      {"released", {{"nu", "0.01"}, {"exploration", "sqrt-nu"}, {"posterior", "diagonal"}, {"normaliser", "one"}, {"design", "played"}}},
      {"tuned", tuned()},
      {"fast", fast()},
  });
}

namespace {

void read_posterior(const Settings& settings, NeuralSettings& out) {
  out.posterior = static_cast<PosteriorKind>(settings.choice("posterior"));
  out.design_width.shape = out.shape;
  out.design_width.lambda = settings.number("lambda");
  out.design_width.normaliser = settings.is("normaliser", "units") ? static_cast<double>(out.shape.units) : 1;
  out.design_width.budget = settings.count("budget") << 20;
  out.design_width.work = 1e6 * settings.number("work");
  out.design_width.double_factor = settings.is("factor", "float64");
  out.design = settings.is("design", "played") ? Design::played : Design::rewarded;
  out.grow = settings.is("grow", "before") ? Grow::before_training : Grow::after_training;
  out.calibrate = settings.flag("calibrate");
  out.averaging = settings.number("averaging");
}

// theta_0 of the network from weights with a row per output; theta is input-major.
std::vector<double> from_rows(const NetworkShape& shape, const std::vector<double>& weights) {
  const std::size_t m = shape.units;
  if (weights.size() != shape.parameters())
    throw ContractError("weights: " + std::to_string(weights.size()) + " numbers, but the network has " +
                        std::to_string(shape.parameters()) + " (units " + std::to_string(m) + ", depth " +
                        std::to_string(shape.depth) + (shape.biases ? ", with biases)" : ", no biases)"));
  if (!std::all_of(weights.begin(), weights.end(), [](double w) { return std::isfinite(w); }))
    throw ContractError("weights: not all are finite");
  std::vector<double> theta(weights);
  std::size_t at = 0;
  for (std::size_t l = 1; l < shape.depth; ++l) {
    const std::size_t inputs = l == 1 ? shape.input.dim() : m;
    for (std::size_t i = 0; i < inputs; ++i)
      for (std::size_t j = 0; j < m; ++j) theta[at + i * m + j] = weights[at + j * inputs + i];
    at += inputs * m + (shape.biases ? m : 0);
  }
  return theta;
}

// Line and curve stand on the network's scaling; it follows the rounds closely, and so does the design.
void stand_beside_ridges(NeuralSettings& out) {
  out.standardise.growth = 1.3;
  out.refresh = out.posterior == PosteriorKind::diagonal;
}

Pace read_ridge(const Settings& settings) {
  if (settings.is("ridge-every", "auto")) return {.most = 8, .part = 20'000};
  return {.most = static_cast<double>(settings.count("ridge-every")), .part = 32};
}

// Of two arms as for kernel-ucb. Each is another constant to learn: of more, all together differ by as much.
double read_early_intercept(const Settings& settings, const Shape& shape) {
  if (!settings.is("early-intercept", "auto")) return settings.number("early-intercept");
  constexpr double of_two = 0.25;
  return of_two * std::sqrt(2 / static_cast<double>(shape.blocks));
}

}  // namespace

NeuralSettings read_neural(const Settings& settings, const PolicySpec& spec) {
  NeuralSettings out;
  static_cast<FitSettings&>(out) = read_fit(settings, spec);
  read_posterior(settings, out);
  if (!spec.weights.empty()) out.theta0 = from_rows(out.shape, spec.weights);
  out.doubling = settings.is("horizon", "doubling");
  out.ridge = read_ridge(settings);
  out.kernel = settings.flag("kernel");
  out.bends = settings.flag("bends");
  out.neighbours = settings.flag("neighbours");
  out.logistic = settings.flag("logistic");
  out.early = settings.is("early", "kernel");
  out.early_intercept = read_early_intercept(settings, spec.shape);
  if (settings.is("beside", "ridge")) stand_beside_ridges(out);
  return out;
}

std::unique_ptr<Belief> make_neural(const Settings& settings, const PolicySpec& spec) {
  const NeuralSettings neural = read_neural(settings, spec);
  if (settings.is("beside", "ridge")) {
    if (settings.is("precision", "float64")) return std::make_unique<StackedBelief<double>>(neural);
    return std::make_unique<StackedBelief<float>>(neural);
  }
  if (settings.is("precision", "float64")) return std::make_unique<NeuralBelief<double>>(neural);
  return std::make_unique<NeuralBelief<float>>(neural);
}

}  // namespace neuralts
