#include <algorithm>
#include <cmath>

#include "neuralts/error.hpp"
#include "neuralts/theory.hpp"

namespace neuralts::theory {

namespace {

// The contexts' own copies: an episode's views die with the next round.
struct Held {
  std::vector<std::vector<double>> rows;
  std::vector<std::size_t> blocks;

  std::vector<Slice> slices() const {
    std::vector<Slice> out;
    for (std::size_t i = 0; i < rows.size(); ++i) out.push_back({rows[i], blocks[i]});
    return out;
  }
};

Held first_contexts(const Environment& env, std::size_t count, std::uint64_t seed) {
  Held held;
  const auto episode = env.start(seed);
  while (held.rows.size() < count && episode->next()) {
    episode->contexts().check(env.info().shape);
    for (std::size_t arm = 0; arm < episode->contexts().arms() && held.rows.size() < count; ++arm) {
      const Slice context = episode->contexts()[arm];
      held.rows.emplace_back(context.values.begin(), context.values.end());
      held.blocks.push_back(context.block);
    }
  }
  if (held.rows.empty())
    throw Error(ErrorCode::bad_input, env.info().name, "the world has no rounds",
                "choose another seed or world");
  return held;
}

double relative_square(std::span<const double> gram, std::span<const double> kernel) {
  double apart = 0, size = 0;
  for (std::size_t i = 0; i < gram.size(); ++i) {
    apart += (gram[i] - kernel[i]) * (gram[i] - kernel[i]);
    size += kernel[i] * kernel[i];
  }
  return apart / size;
}

// sqrt of a mean s has the standard error error(s) / (2 sqrt s).
Distance root_mean(std::span<const double> squares) {
  const double n = static_cast<double>(squares.size());
  double mean = 0, spread = 0;
  for (const double square : squares) mean += square / n;
  for (const double square : squares) spread += (square - mean) * (square - mean);
  const double error = n > 1 ? std::sqrt(spread / (n - 1) / n) : 0;
  return {std::sqrt(mean), error / (2 * std::sqrt(mean))};
}

void check(const GapOptions& options) {
  const auto require = [](bool good, const char* what, const char* hint) {
    if (!good) throw Error(ErrorCode::bad_spec, "theory gap", what, hint);
  };
  const auto odd = [](std::size_t units) { return units == 0 || units % 2 != 0; };
  require(!options.unit_counts.empty() &&
              std::none_of(options.unit_counts.begin(), options.unit_counts.end(), odd),
          "a number of units is 0 or odd", "the published initialisation pairs units: give even numbers");
  auto counts = options.unit_counts;
  std::sort(counts.begin(), counts.end());
  require(std::adjacent_find(counts.begin(), counts.end()) == counts.end(), "a number of units is there twice",
          "give each once");
  require(options.depth >= 2, "the depth is below 2", "a network has at least two weight matrices");
  require(options.contexts >= 1 && options.repeats >= 1, "contexts and repeats must be 1 or more",
          "leave them out");
}

}  // namespace

std::vector<Gap> kernel_gap(const Environment& env, const GapOptions& options, const GramOf& gram,
                            const Progress& progress) {
  check(options);
  const Held held = first_contexts(env, options.contexts, options.seed);
  const auto contexts = held.slices();
  const auto paper = tangent_kernel_matrix(contexts, options.depth, Kernel::paper),
             limit = tangent_kernel_matrix(contexts, options.depth, Kernel::gram);
  std::vector<Gap> gaps;
  for (const std::size_t units : options.unit_counts) {
    if (progress) progress("units " + std::to_string(units));
    std::vector<double> to_limit, halved_to_paper, to_paper;
    for (std::size_t repeat = 0; repeat < options.repeats; ++repeat) {
      const auto published = gram(contexts, units, options.seed + repeat, 2);
      to_limit.push_back(relative_square(published, limit));
      to_paper.push_back(relative_square(published, paper));
      halved_to_paper.push_back(relative_square(gram(contexts, units, options.seed + repeat, 1), paper));
    }
    gaps.push_back({units, root_mean(to_limit), root_mean(halved_to_paper), root_mean(to_paper)});
  }
  return gaps;
}

Slope fit_slope(std::span<const Gap> gaps, Distance Gap::*which) {
  if (gaps.size() < 2)
    throw ContractError("a slope needs two numbers of units or more, not " + std::to_string(gaps.size()));
  double centre = 0, across = 0, slope = 0, variance = 0;
  for (const Gap& gap : gaps) centre += std::log(static_cast<double>(gap.units)) / static_cast<double>(gaps.size());
  for (const Gap& gap : gaps) {
    const double x = std::log(static_cast<double>(gap.units)) - centre;
    const Distance& distance = gap.*which;
    across += x * x;
    slope += x * std::log(distance.value);
    variance += std::pow(x * distance.error / distance.value, 2);  // each estimate errs on its own
  }
  return {slope / across, std::sqrt(variance) / across};
}

}  // namespace neuralts::theory
