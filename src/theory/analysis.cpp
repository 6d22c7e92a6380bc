#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "policy/theorem.hpp"
#include "neuralts/error.hpp"
#include "neuralts/theory.hpp"
#include "theory/part.hpp"

namespace neuralts::theory {

namespace {

using Matrix = Eigen::MatrixXd;
constexpr std::size_t default_rounds = 1000, checkpoints = 200;

void check(const Options& options) {
  const auto require = [](bool good, const char* what, const char* hint) {
    if (!good) throw Error(ErrorCode::bad_spec, "theory", what, hint);
  };
  require(options.depth >= 2, "the depth is below 2", "a network has at least two weight matrices");
  require(options.units >= 1, "units is 0", "give 1 or more");
  require(!options.lambda || (*options.lambda > 0 && std::isfinite(*options.lambda)),
          "lambda is not above 0, or not finite", "leave it out for the theorem's 1 + 1/T");
  require(options.delta > 0 && options.delta < 1, "delta is not between 0 and 1", "0.1 is usual");
  require(options.noise >= 0 && std::isfinite(options.noise), "the noise is negative or not finite",
          "0 means rewards without noise");
  require(options.exact >= 1 && options.sketch_rank >= 1, "the size limits must be 1 or more", "leave them out");
}

std::vector<std::size_t> curve_points(std::size_t rounds) {
  std::vector<std::size_t> points;
  const std::size_t count = std::min(rounds, checkpoints);
  for (std::size_t i = 1; i <= count; ++i) points.push_back(i * rounds / count);
  return points;
}

// The rewards a part sees: arms' differences for the K - 1 copies, sqrt(K) times arms' mean for the last; all
// of h when there is one part.
Matrix rewards_of(const Walk& walk, std::size_t part, std::size_t parts) {
  if (walk.expected.size() == 0) return {};
  if (parts == 1) return walk.expected;
  const auto K = static_cast<Eigen::Index>(walk.arms), T = static_cast<Eigen::Index>(walk.rounds);
  const Matrix table = Eigen::Map<const RowMatrix>(walk.expected.data(), T, K);
  const Eigen::VectorXd mean = table.rowwise().mean();
  if (part == 0) return table.colwise() - mean;
  return std::sqrt(static_cast<double>(K)) * mean;
}

Answer solve(const Walk& walk, const Part& part, std::size_t index, std::size_t parts, const Options& options,
             const Analysis& result, const Progress& progress) {
  Question question{.lambda = result.lambda,
                    .ends = {},
                    .rewards = rewards_of(walk, index, parts),
                    .threads = options.threads,
                    .sketch_rank = options.sketch_rank,
                    .progress = progress};
  for (const auto t : result.curve_rounds)
    question.ends.push_back(static_cast<Eigen::Index>(walk.crossed ? t : walk.round_end[t - 1]));
  const bool fits = static_cast<std::size_t>(part.matrix.size()) <= options.exact;
  return fits ? solve_exactly(part.matrix, question) : solve_by_sketch(part.matrix, question);
}

struct Total {
  std::vector<double> log_det;
  double energy = 0;
};

void add_part(const Answer& answer, std::size_t copies, Total& total, Analysis& result) {
  const double times = static_cast<double>(copies);
  for (std::size_t i = 0; i < total.log_det.size(); ++i) total.log_det[i] += times * answer.log_det[i];
  result.log_det_error += times * answer.log_det_error.back();
  for (const double value : answer.eigenvalues) result.spectrum.insert(result.spectrum.end(), copies, value);
  result.lambda_0 = std::min(result.lambda_0, answer.smallest);
  result.jitter = std::max(result.jitter, answer.jitter);
  total.energy += answer.energy;  // the columns of a part's rewards stand for all its copies
}

// Where the world does not tell h: the kernel ridge fit a = (M + lambda I)^-1 r to the revealed rewards has the
// norm a'Ma = a'(r - lambda a).
double estimated_energy(const Walk& walk, const Options& options, double lambda) {
  const std::size_t count = std::min(walk.observed.size(), options.exact);
  std::vector<std::uint32_t> members(walk.observed.begin(),
                                     walk.observed.begin() + static_cast<std::ptrdiff_t>(count));
  const KernelMatrix matrix(walk.contexts, std::move(members), options.depth);
  Matrix work(matrix.size(), matrix.size());
  matrix.fill_lower(work, options.threads);
  work.diagonal().array() += lambda;
  const Eigen::LLT<Eigen::Ref<Matrix>> cholesky(work);
  const Eigen::VectorXd r = Eigen::Map<const Eigen::VectorXd>(walk.rewards.data(), matrix.size()),
                        a = cholesky.solve(r);
  return std::max(0.0, a.dot(r - lambda * a));
}

void apply_theorem(const Total& total, Analysis& result) {
  const double T = static_cast<double>(result.rounds), K = static_cast<double>(result.arms);
  const Horizon horizon{T, K, static_cast<double>(result.depth), result.noise, result.delta};
  result.log_det = total.log_det.back();
  result.effective_dimension = theorem_effective_dimension(result.log_det, T, K, result.lambda);
  result.B = theorem_norm(total.energy);
  result.nu = theorem_nu(horizon, result.B, result.log_det);
  result.eta = theorem_step(horizon, result.lambda, static_cast<double>(result.units));
  result.J = theorem_iterations(horizon, result.lambda);
  result.units_log10 = theorem_units_log10(horizon, result.lambda, result.lambda_0);
  for (std::size_t i = 0; i < result.curve_rounds.size(); ++i) {
    Horizon at = horizon;
    at.rounds = static_cast<double>(result.curve_rounds[i]);
    result.curve_dimension.push_back(theorem_effective_dimension(total.log_det[i], at.rounds, K, result.lambda));
    result.curve_bound.push_back(theorem_regret(at, result.lambda, result.nu, total.log_det[i]));
  }
  result.bound = result.curve_bound.back();
}

// The appendix' argument with its steps kept: d' eigenvalues of at most |H|, the others at most 1 / (TK) each.
void apply_appendix(Analysis& result) {
  std::sort(result.spectrum.begin(), result.spectrum.end(), std::greater<>());
  const double n = static_cast<double>(result.rounds) * static_cast<double>(result.arms),
               largest = result.spectrum.front();
  const auto above = [n](double value) { return value > 1 / n; };
  result.d_prime = static_cast<std::size_t>(std::count_if(result.spectrum.begin(), result.spectrum.end(), above));
  const double d = static_cast<double>(result.d_prime);
  result.d_prime_bound = (d * std::log1p(largest / result.lambda) + 1 / result.lambda) /
                         std::log1p(n / result.lambda);
}

void add_notes(const Walk& walk, const Options& options, Analysis& result) {
  const auto note = [&](const char* text) { result.notes.emplace_back(text); };
  note(
      "the theorem leaves its constants open; bound, eta, J and the units use 1 for each, so read their "
      "growth, not their size");
  note("the number of units the theorem asks for is a limit of today's proofs: in practice 100 work");
  if ((walk.contexts.norms.array() - 1).abs().maxCoeff() > 1e-6)
    note("not all contexts have unit length, which the theorem assumes");
  if (walk.expected.size() > 0 && walk.expected.array().abs().maxCoeff() > 1 + 1e-9)
    note("expected rewards leave [-1, 1], which the theorem assumes");
  if (result.estimated_reward)
    note("the world does not tell expected rewards: B is that of a kernel ridge fit to the revealed ones");
  if (result.jitter > 0) note("contexts repeat, so H is singular to rounding: B is computed with a small jitter and may be far larger");
  if (result.log_det_error > 0)
    note(
        "too many contexts to factorise: log det is bracketed, lambda_0 is an upper and B a lower estimate, "
        "the spectrum its head");
  if (walk.rounds < options.rounds) note("the world has fewer rounds than asked for");
}

}  // namespace

Analysis analyse(const Environment& env, const Options& options, const Progress& progress) {
  check(options);
  const Walk shown = walk(env, options.rounds > 0 ? options.rounds : default_rounds, options.seed);
  Analysis result{.env = env.info().name, .rounds = shown.rounds, .arms = shown.arms, .contexts = shown.contexts.size(), .depth = options.depth,
                  .units = options.units, .delta = options.delta, .noise = options.noise};
  result.lambda = options.lambda.value_or(theorem_lambda(static_cast<double>(shown.rounds)));
  result.lambda_0 = std::numeric_limits<double>::infinity();
  result.curve_rounds = curve_points(shown.rounds);
  Total total{std::vector<double>(result.curve_rounds.size(), 0.0), 0};
  const auto parts = split(shown, options.depth);
  for (std::size_t i = 0; i < parts.size(); ++i)
    add_part(solve(shown, parts[i], i, parts.size(), options, result, progress), parts[i].copies, total, result);
  result.estimated_reward = shown.expected.size() == 0;
  if (result.estimated_reward) total.energy = estimated_energy(shown, options, result.lambda);
  result.lambda_0 = std::max(result.lambda_0, 0.0);
  apply_appendix(result);
  apply_theorem(total, result);
  add_notes(shown, options, result);
  return result;
}

}  // namespace neuralts::theory
