// Theory as numbers: the tangent kernel of a world's contexts, its effective dimension, and what the regret
// theorem says of them.
//
// Letters (spec and paper): T rounds, K arms, L depth, m units, n = TK contexts, H the n x n tangent kernel matrix,
// lambda regularisation, delta failure probability, R sub-Gaussian noise, h the expected rewards, d~ the
// effective dimension.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "neuralts/context.hpp"
#include "neuralts/environment.hpp"

#pragma GCC visibility push(default)
namespace neuralts::theory {

struct Options {
  std::size_t rounds = 0;         ///< T; 0: 1,000, or as many as there are
  std::size_t depth = 2;          ///< L >= 2
  std::size_t units = 100;        ///< m, for the step eta
  std::optional<double> lambda{};  ///< nothing: the theorem's 1 + 1/T
  double delta = 0.1;
  double noise = 0.1;             ///< R
  std::uint64_t seed = 1;         ///< of the episode whose contexts are taken
  /// The largest matrix that is factorised; beyond it log det is bracketed by a sketch.
  std::size_t exact = 10'000;
  std::size_t sketch_rank = 1'000;
  std::size_t threads = 0;        ///< 0: all
};

/// What is known of one world. Curves have one entry per element of `curve_rounds`.
struct Analysis {
  std::string env{};
  std::size_t rounds = 0, arms = 0, contexts = 0, depth = 0, units = 0;
  double lambda = 0, delta = 0, noise = 0;

  double lambda_0 = 0;                ///< smallest eigenvalue of H; with a sketch: at most this
  /// Distinct factors' eigenvalues, largest first, each as often as it occurs; with a sketch: the leading ones.
  std::vector<double> spectrum{};
  double log_det = 0;                 ///< log det(I + H / lambda)
  double log_det_error = 0;           ///< the true value is within +- this; 0: exact
  double effective_dimension = 0;     ///< d~ = log_det / log(1 + TK / lambda)
  std::size_t d_prime = 0;            ///< eigenvalues above 1 / (TK)
  /// What d' says about d~: (d' log(1 + |H| / lambda) + 1 / lambda) / log(1 + TK / lambda).
  double d_prime_bound = 0;

  double B = 0;                       ///< max(1 / (22 e sqrt pi), sqrt(2 h'H^-1 h)); with a sketch: at least this
  bool estimated_reward = false;      ///< h is a kernel ridge estimate from the rewards that were revealed
  /// Added to H's diagonal for B, when H is singular to rounding (a context seen twice).
  double jitter = 0;
  double nu = 0, eta = 0, J = 0;
  double bound = 0;                   ///< of the regret, with the theorem's open constants set to 1
  double units_log10 = 0;             ///< the theorem asks for 10^this units; practice does not need it

  std::vector<std::size_t> curve_rounds{};
  std::vector<double> curve_dimension{}, curve_bound{};
  std::vector<std::string> notes{};     ///< what a reader should know about these numbers
};

using Progress = std::function<void(const std::string& stage)>;

/// Walks one episode of `env`, builds H from the contexts of all arms, and computes everything above.
/// Disjoint contexts (the same x in block k for every arm) are handled by two T x T matrices instead of one of
/// TK x TK. Memory: one matrix of at most exact x exact numbers, or contexts x sketch_rank. Throws
/// Error(bad_spec | bad_input).
Analysis analyse(const Environment& env, const Options& options, const Progress& progress = {});

enum class Kernel {
  paper,  ///< H = (H~(L) + Sigma(L)) / 2, the paper's definition
  /// H~(L), what the tangent Gram matrix tends to under the published initialisation (last layer's variance
  /// 2/m).
  gram,
};

/// The kernel matrix of a list of contexts of any lengths |x|, row-major n x n, symmetric. Throws ContractError for
/// contexts without numbers or with different counts of them, and for numbers that are not finite or above 1e15.
std::vector<double> tangent_kernel_matrix(std::span<const Slice> contexts, std::size_t depth,
                                          Kernel kernel = Kernel::paper, std::size_t threads = 0);

// How far a finite network is from its kernel.

struct GapOptions {
  std::vector<std::size_t> unit_counts = {32, 64, 128, 256, 512, 1024, 2048, 4096};
  std::size_t depth = 2;
  std::size_t contexts = 50;  ///< the first ones of the episode
  std::size_t repeats = 10;   ///< initialisations per number of units
  std::uint64_t seed = 1;
};

/// A distance ||G - H|| / ||H|| (Frobenius), root mean square over the repeats, and that estimate's standard error; 0
/// where there is none, of one repeat.
struct Distance {
  double value = 0, error = 0;
};

struct Gap {
  std::size_t units = 0;
  Distance published;         ///< G of the published initialisation from its limit H~(L)
  Distance paper;             ///< G with the last layer's variance halved from its limit H, the paper's
  /// G of the published initialisation from H: does not vanish, the two differ by design.
  Distance published_to_paper;
};

/// The tangent Gram matrix g.g'/m at theta_0 of a network of that many units, seed, and last layer's variance
/// (times m).
using GramOf = std::function<std::vector<double>(std::span<const Slice>, std::size_t units,
                                                 std::uint64_t seed, double output_variance)>;

std::vector<Gap> kernel_gap(const Environment& env, const GapOptions& options, const GramOf& gram,
                            const Progress& progress = {});

/// The slope of log distance against log units, by least squares, with its standard error. REQUIRES two numbers
/// of units or more.
struct Slope {
  double value = 0, error = 0;
};
Slope fit_slope(std::span<const Gap> gaps, Distance Gap::*which);

}  // namespace neuralts::theory
#pragma GCC visibility pop
