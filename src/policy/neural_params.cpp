#include <cmath>

#include "base/text.hpp"
#include "policy/neural.hpp"

namespace neuralts {

std::vector<ParamInfo> neural_params() {
  return {
      {"width", "100", "2 .. 100000, even with initialisation=paired", "units of a hidden layer (m); cost grows in proportion"},
      {"depth", "2", "2 .. 20", "weight matrices (L); 2 is one hidden layer"},
      {"biases", "false", "true | false", "a constant input to every layer"},
      {"output", "sqrt-width", "sqrt-width | one", "factor of the last layer: sqrt(m) as published, or 1"},
      {"initialisation", "paired", "paired | uniform", "paired: predictions start at 0, as published; uniform: +-1/sqrt(fan in), as released"},
      {"precision", "float32", "float32 | float64", "of network and features; float64 doubles time and memory"},
      {"inputs", "raw", "raw | standardised", "standardised: every column centred and scaled by what was observed, so that small columns count"},
      {"rewards", "raw", "raw | standardised", "standardised: rewards centred and scaled, so that nu and lambda mean the same for any unit"},
      {"lambda", "1", "> 0", "regularisation: the prior's precision; larger means smaller weights and a stiffer belief"},
      {"nu", "0.1", ">= 0", "exploration: factor of the width; 0 is greedy"},
      {"exploration", "nu", "nu | sqrt-nu", "the width's factor: nu as published, sqrt(nu) as released"},
      {"calibrate", "false", "true | false", "width in units of the recent residuals' standard deviation: less exploration once predictions are good"},
      {"posterior", "auto", "auto | exact | diagonal", "the design matrix U: whole, its diagonal, or exact while it fits in `budget`"},
      {"budget", "64", ">= 1", "MiB the exact posterior may hold before `auto` turns to a bounded approximation"},
      {"normaliser", "width", "width | one", "what divides g g' in U: m as published, 1 as released"},
      {"factor", "auto", "auto | float32 | float64", "precision of the exact posterior's factor; auto: that of `precision`"},
      {"design", "rewarded", "played | rewarded", "which event grows U; with late rewards, played narrows the width at once"},
      {"grow", "after", "before | after", "with design=rewarded: U grows before or after training on the round"},
      {"optimiser", "descent", "descent | momentum | adam", "how the network is fitted"},
      {"step", "auto", "auto | > 0", "step length; auto: 1 / (decay + sum |g|^2) measured at each training"},
      {"momentum", "0.9", "0 .. 0.9999", "of momentum and Adam"},
      {"iterations", "100", "0 .. 1000000", "steps a training (J)"},
      {"batch", "0", "0 .. 1000000", "rounds per step, drawn anew each step; 0: all"},
      {"start", "previous", "initial | previous", "where a training starts: theta_0, or where the last one ended"},
      {"moments", "fresh", "fresh | kept", "whether the optimiser's moments survive from one training to the next"},
      {"loss", "sum", "sum | mean", "of squared errors: sum/2 as published, mean as released"},
      {"decay", "width-lambda", "width-lambda | lambda | lambda-over-n | number >= 0", "pull of the weights towards the anchor: m lambda as published, lambda/n as released"},
      {"anchor", "initial", "initial | zero", "what the weights are pulled towards"},
      {"tolerance", "0", ">= 0", "stop a training when the gradient's norm falls below; 0: never"},
      {"train", "every:1", "every:B | geometric:SHARE | logdet:C | never", "when to train: every B rounds, when the history has grown by a share, when log det U has grown by C"},
      {"stop-after", "0", ">= 0", "no training after so many finished rounds; 0: never stop"},
      {"horizon", "known", "known | doubling", "doubling: forget and restart at t = 1, 2, 4, ..., the trick for an unknown horizon"},
  };
}

std::map<std::string, Params> neural_presets() {
  return {
      {"paper", {}},
      {"released", {{"biases", "true"}, {"output", "one"}, {"initialisation", "uniform"}, {"lambda", "0.001"}, {"nu", "0.01"},
                    {"exploration", "sqrt-nu"}, {"posterior", "diagonal"}, {"normaliser", "one"}, {"design", "played"}, {"step", "0.01"},
                    {"loss", "mean"}, {"decay", "lambda-over-n"}, {"anchor", "zero"}}},
      {"tuned", {{"biases", "true"}, {"inputs", "standardised"}, {"rewards", "standardised"}, {"calibrate", "true"}, {"optimiser", "adam"},
                 {"step", "0.003"}, {"train", "geometric:0.02"}, {"lambda", "0.2"}}},
  };
}

namespace {

double read_or(const Settings& settings, const std::string& key, const std::string& word, double meaning) {
  return settings.is(key, word) ? meaning : settings.positive(key);
}

void read_network(const Settings& settings, const Shape& shape, NeuralSettings& out) {
  out.shape.input = shape;
  out.shape.width = settings.count("width", 2, 100000);
  out.shape.depth = settings.count("depth", 2, 20);
  out.shape.biases = settings.flag("biases");
  out.shape.scale = settings.choice("output", {"sqrt-width", "one"}) == 0 ? std::sqrt(static_cast<double>(out.shape.width)) : 1;
  out.initialisation = settings.choice("initialisation", {"paired", "uniform"}) == 0 ? Initialisation::paired : Initialisation::uniform;
  if (out.initialisation == Initialisation::paired && out.shape.width % 2 != 0) settings.refuse("width");
  out.standardise.inputs = settings.choice("inputs", {"raw", "standardised"}) == 1;
  out.standardise.rewards = settings.choice("rewards", {"raw", "standardised"}) == 1;
}

void read_decay(const Settings& settings, NeuralSettings& out) {
  const double lambda = out.width.lambda;
  const std::string& decay = settings.text("decay");
  out.trainer.decay_over_n = decay == "lambda-over-n";
  if (decay == "width-lambda") out.trainer.decay = lambda * static_cast<double>(out.shape.width);
  else if (decay == "lambda" || decay == "lambda-over-n") out.trainer.decay = lambda;
  else out.trainer.decay = settings.number("decay", 0, 1e300);
}

void read_trainer(const Settings& settings, NeuralSettings& out) {
  TrainerSettings& trainer = out.trainer;
  trainer.optimiser = static_cast<Optimiser>(settings.choice("optimiser", {"descent", "momentum", "adam"}));
  trainer.step = read_or(settings, "step", "auto", 0);
  trainer.momentum = settings.number("momentum", 0, 0.9999);
  trainer.iterations = settings.count("iterations", 0, 1000000);
  trainer.batch = settings.count("batch", 0, 1000000);
  trainer.warm = settings.choice("start", {"initial", "previous"}) == 1;
  trainer.keep_moments = settings.choice("moments", {"fresh", "kept"}) == 1;
  trainer.mean_loss = settings.choice("loss", {"sum", "mean"}) == 1;
  trainer.anchor = settings.choice("anchor", {"initial", "zero"}) == 0 ? Anchor::initial : Anchor::zero;
  trainer.tolerance = settings.number("tolerance", 0, 1e300);
  read_decay(settings, out);
  if (!Schedule::parse(settings.text("train"), out.schedule)) settings.refuse("train");
  out.stop_after = settings.count("stop-after", 0);
}

void read_posterior(const Settings& settings, NeuralSettings& out) {
  out.posterior = static_cast<PosteriorKind>(settings.choice("posterior", {"auto", "exact", "diagonal"}));
  out.width.shape = out.shape;
  out.width.lambda = settings.positive("lambda");
  out.width.normaliser = settings.choice("normaliser", {"width", "one"}) == 0 ? static_cast<double>(out.shape.width) : 1;
  out.width.budget = settings.count("budget", 1, 1 << 24) << 20;
  out.width.double_factor = settings.choice("factor", {"auto", "float32", "float64"}) == 2;
  out.design = settings.choice("design", {"played", "rewarded"}) == 0 ? Design::played : Design::rewarded;
  out.grow = settings.choice("grow", {"before", "after"}) == 0 ? Grow::before_training : Grow::after_training;
  out.calibrate = settings.flag("calibrate");
}

}  // namespace

NeuralSettings read_neural(const Settings& settings, const PolicySpec& spec) {
  NeuralSettings out;
  out.seed = spec.seed;
  read_network(settings, spec.shape, out);
  read_posterior(settings, out);
  read_trainer(settings, out);
  out.doubling = settings.choice("horizon", {"known", "doubling"}) == 1;
  return out;
}

std::unique_ptr<Belief> make_neural(const Settings& settings, const PolicySpec& spec) {
  const NeuralSettings neural = read_neural(settings, spec);
  if (settings.choice("precision", {"float32", "float64"}) == 1) return std::make_unique<NeuralBelief<double>>(neural);
  return std::make_unique<NeuralBelief<float>>(neural);
}

}  // namespace neuralts
