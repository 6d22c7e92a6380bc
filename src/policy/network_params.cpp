#include "policy/network_params.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "policy/forget_param.hpp"
#include "policy/standardised_params.hpp"

namespace neuralts {

namespace {

std::vector<ParamInfo> network_params() {
  return {
      {"units", "100", "2 .. 100000, even with initialisation=paired", "units of a hidden layer (m); cost grows in proportion"},
      {"depth", "2", "2 .. 20", "weight matrices (L); 2 is one hidden layer"},
      {"biases", "false", "true | false", "a constant input to every layer"},
      {"output", "sqrt-units", "sqrt-units | one", "factor of the last layer: sqrt(m) as published, or 1"},
      {"initialisation", "paired", "paired | uniform", "paired: predictions start at 0, as published; uniform: +-1/sqrt(fan in), as released"},
      {"precision", "float32", "float32 | float64", "of network and features; float64 doubles time and memory"},
      inputs_info(),
      rewards_info(),
      {"lambda", "1", "> 0", "regularisation: the prior's precision; larger means smaller weights and a stiffer belief"},
      {"optimiser", "descent", "descent | momentum | adam", "how the network is fitted"},
      {"step", "auto", "auto | > 0", "step length; auto: 1 / (decay + sum |g|^2) measured at each training, with Adam 0.005 min(1, 7 / sqrt(d))"},
      {"momentum", "0.9", "0 .. 0.9999", "of momentum and Adam"},
      {"iterations", "100", "auto | 0 .. 1000000", "steps a training (J); auto: 100 over all rounds, 1 or 2 of a mini-batch, by its work"},
      {"batch", "0", "0 .. 1000000", "rounds per step, drawn anew each step; 0: all"},
      {"start", "previous", "initial | previous", "where a training starts: theta_0, or where the last one ended"},
      {"moments", "fresh", "fresh | kept", "whether the optimiser's moments survive from one training to the next"},
      {"loss", "sum", "sum | mean", "of squared errors: sum/2 as published, mean as released"},
      {"decay", "units-lambda", "units-lambda | lambda | lambda-over-n | >= 0", "pull of the weights towards the anchor: m lambda as published, lambda/n as released"},
      {"anchor", "initial", "initial | zero", "what the weights are pulled towards"},
      {"tolerance", "0", ">= 0", "stop a training when the gradient's norm falls below; 0: never"},
      {"train", "every:1", "auto | every:B | every:A..B | auto:A..B | geometric:SHARE | logdet:C | never", "when to train: every B rounds (every:A..B: after a 5,000th of all rounds, at least A and at most B; every:A..B/N: an N-th; auto:A..B: the same, less often where a step is large; auto: such a schedule, every 1..8/20000), when the history has grown by a share, when log det U has grown by C"},
      {"memory", "0", "0 .. 1000000", "MiB of finished rounds kept for training: beyond, the recent half and a sample of the older ones, which then counts for all of them; 0: all"},
      {"stop-after", "0", ">= 0", "no training after so many finished rounds; 0: never stop"},
  };
}

std::map<std::string, Params> network_presets() {
  return {
      {"paper", {}},
      {"released", {{"biases", "true"}, {"output", "one"}, {"initialisation", "uniform"}, {"lambda", "0.001"}, {"step", "0.01"}, {"loss", "mean"},
                    {"decay", "lambda-over-n"}, {"anchor", "zero"}}},
      {"tuned", tuned_network()},
  };
}

double read_or(const Settings& settings, const std::string& key, const std::string& word, double meaning) {
  return settings.is(key, word) ? meaning : settings.number(key);
}

void read_network(const Settings& settings, const Shape& shape, FitSettings& out) {
  out.shape.input = shape;
  out.shape.units = settings.count("units");
  out.shape.depth = settings.count("depth");
  out.shape.biases = settings.flag("biases");
  out.shape.scale = settings.is("output", "sqrt-units") ? std::sqrt(static_cast<double>(out.shape.units)) : 1;
  out.initialisation = settings.is("initialisation", "paired") ? Initialisation::paired : Initialisation::uniform;
  if (out.initialisation == Initialisation::paired && out.shape.units % 2 != 0) settings.refuse("units");
  out.standardise.inputs = settings.is("inputs", "standardised");
  out.standardise.rewards = settings.is("rewards", "standardised");
}

void read_decay(const Settings& settings, FitSettings& out) {
  const double lambda = settings.number("lambda");
  const std::string& decay = settings.text("decay");
  out.trainer.decay_over_n = decay == "lambda-over-n";
  if (decay == "units-lambda") out.trainer.decay = lambda * static_cast<double>(out.shape.units);
  else if (decay == "lambda" || decay == "lambda-over-n") out.trainer.decay = lambda;
  else out.trainer.decay = settings.number("decay");
}

// Adam moves every weight by about the step, and a unit's input by as many of them as there are columns, of
// size 1 / sqrt(d) each.
double adam_step_length(std::size_t d) { return 0.005 * std::min(1.0, 7 / std::sqrt(static_cast<double>(d))); }

// Operations of a step over a mini-batch.
double step_work(const FitSettings& fit) {
  const double m = static_cast<double>(fit.shape.units), above = m * static_cast<double>(fit.shape.depth - 2);
  return static_cast<double>(fit.trainer.batch) * m * (4 * static_cast<double>(fit.shape.input.length) + 6 * above);
}

std::size_t automatic_iterations(const FitSettings& fit) {
  constexpr double small = 3e6;  // twice as much of it is still less than a tenth of a millisecond
  if (fit.trainer.batch == 0) return 100;
  return step_work(fit) <= small ? 2 : 1;
}

// Rounds between two steps of a mini-batch if a round may cost so many operations of one core.
double rounds_a_step(const FitSettings& fit, double a_round) {
  return std::max(1.0, std::ceil(step_work(fit) / a_round));
}

// What `train` means for this network.
bool read_schedule(const std::string& train, const FitSettings& fit, Schedule& out) {
  constexpr double a_round = 4e7, a_fast_round = 1.1e7;  // half a millisecond, an eighth of one
  const bool paced = train == "auto", paced_between = train.starts_with("auto:"), batches = fit.trainer.batch > 0;
  if (!paced && !paced_between) return Schedule::parse(train, out);
  if (paced && !batches) return Schedule::parse("geometric:0.02", out);
  const std::string every = paced ? "every:1..8/20000" : std::string(train).replace(0, 4, "every");
  if (!Schedule::parse(every, out)) return false;
  if (batches) out.slow_to(rounds_a_step(fit, paced ? a_round : a_fast_round));
  return true;
}

void read_trainer(const Settings& settings, FitSettings& out) {
  TrainerSettings& trainer = out.trainer;
  trainer.optimiser = static_cast<Optimiser>(settings.choice("optimiser"));
  trainer.step = read_or(settings, "step", "auto",
                         trainer.optimiser == Optimiser::adam ? adam_step_length(out.shape.input.length) : 0);
  trainer.momentum = settings.number("momentum");
  trainer.batch = settings.count("batch");
  trainer.iterations = settings.is("iterations", "auto") ? automatic_iterations(out) : settings.count("iterations");
  trainer.warm = settings.is("start", "previous");
  trainer.keep_moments = settings.is("moments", "kept");
  trainer.mean_loss = settings.is("loss", "mean");
  trainer.anchor = settings.is("anchor", "initial") ? Anchor::initial : Anchor::zero;
  trainer.tolerance = settings.number("tolerance");
  read_decay(settings, out);
  if (!read_schedule(settings.text("train"), out, out.schedule)) settings.refuse("train");
  if (trainer.batch > 0 && trainer.keep_moments) out.schedule.catch_up();
  out.stop_after = settings.count("stop-after");
}

}  // namespace

Params tuned_network() {
  return {{"biases", "true"},    {"inputs", "standardised"}, {"rewards", "standardised"},
          {"optimiser", "adam"}, {"step", "0.003"},          {"train", "geometric:0.02"},
          {"memory", "64"}};
}

ParamInfo intercept_info() {
  return {"intercept", "false", "true | false",
          "a constant behind the columns of every arm that has weights of its own: what it pays whatever the context"};
}

std::vector<ParamInfo> network_params_and(const std::vector<ParamInfo>& own) {
  std::vector<ParamInfo> params = network_params();
  params.push_back(forget_info());
  params.insert(params.end(), own.begin(), own.end());
  return params;
}

std::map<std::string, Params> network_presets_and(const std::map<std::string, Params>& own) {
  auto presets = network_presets();
  for (const auto& [name, changes] : own)
    for (const auto& [key, value] : changes) presets[name][key] = value;
  return presets;
}

FitSettings read_fit(const Settings& settings, const PolicySpec& spec) {
  FitSettings out;
  out.seed = spec.seed;
  out.keep.memory = settings.count("memory") << 20;
  out.keep.forgets = read_forget(settings).kind != Forget::Kind::never;
  read_network(settings, spec.shape, out);
  read_trainer(settings, out);
  return out;
}

FitSettings read_fit_without_design(const Settings& settings, const PolicySpec& spec) {
  PolicySpec seen = spec;
  const bool intercept = settings.flag("intercept") && spec.shape.blocks > 1;  // one for all is a bias
  if (intercept) ++seen.shape.length;
  FitSettings out = read_fit(settings, seen);
  out.standardise.intercept = intercept;
  if (out.schedule.needs_log_det()) settings.refuse("train");
  return out;
}

double least_network_state(const PolicySpec& spec, const Settings& settings) {
  const double units = static_cast<double>(settings.count("units")),
               depth = static_cast<double>(settings.count("depth"));
  const double inputs = static_cast<double>(spec.shape.length) * static_cast<double>(spec.shape.blocks);
  return sizeof(float) * (inputs * units + (depth - 2) * units * units + units);
}

}  // namespace neuralts
