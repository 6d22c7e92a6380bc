// Given all of xi but its component t along one direction u, every score is a line in t, and which arm leads is
// decided by the upper envelope of the lines. Its pieces are intervals of t ~ N(0, 1): one sample yields a
// smooth probability for every arm. With u along the difference of the two leading arms' factors their contest
// is integrated exactly, whatever the rest is. Arms that the leader beats in all but 1e-15 of all draws take no
// part: where one rival is left the integral is exact. With many arms the heights of all samples are one matrix
// product, and of each sample's lines only those enter the envelope that reach what a few good ones have
// reached already.
#include "math/joint_propensity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "math/lines.hpp"
#include "math/normal_draws.hpp"
#include "math/simd.hpp"

namespace neuralts::math {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double hopeless = -8;          // in standard deviations of the contest: beaten but for a chance of 1e-15
constexpr double too_small_to_square = 1e-140;
constexpr double farthest = 9;           // |t| beyond which no probability is left: 2e-19
constexpr std::size_t together = 16;     // samples that read the factors once
constexpr std::size_t worth_sifting = 32;  // arms

struct Line {
  double height = 0, slope = 0;  // height + slope * t
  double start = -infinity;      // from where on it leads
  std::size_t arm = 0, equals = 1;
  double at(double t) const { return height + slope * t; }
};

double dot(std::span<const double> x, std::span<const double> y) { return math::dot(x.size(), x.data(), y.data()); }

// A point that divides the line, with what lies beyond it on the side away from 0: two neighbouring pieces
// share it.
struct Corner {
  double t = -infinity, tail = 0;
  static Corner at(double t) { return {t, 0.5 * std::erfc(std::abs(t) * std::sqrt(0.5))}; }
};

// P(from < t < to), without cancellation in either tail.
double interval(const Corner& from, const Corner& to) {
  if (from.t > 0) return from.tail - to.tail;
  return to.t > 0 ? 1 - to.tail - from.tail : to.tail - from.tail;
}

// How many standard deviations arm k lies above the leader in a contest of the two; what decides it without one
// is the mean.
double chance_against(const JointScores& scores, std::size_t leader, std::size_t k, std::span<double> difference) {
  const auto a = scores.factor(leader), b = scores.factor(k);
  for (std::size_t i = 0; i < difference.size(); ++i) difference[i] = a[i] - b[i];
  const double spread = std::sqrt(dot(difference, difference)), gap = scores.mean[k] - scores.mean[leader];
  return spread > 0 ? gap / spread : gap < 0 ? -infinity : 0;
}

// Arms that can lead, in order; and u, along which they are seen: a unit vector, or zeros where the means alone
// decide.
std::span<std::uint32_t> contenders(const JointScores& scores, std::size_t drawn, Scratch& scratch,
                                    std::span<double> u) {
  const auto leader = static_cast<std::size_t>(std::max_element(scores.mean.begin(), scores.mean.end()) -
                                               scores.mean.begin());
  const auto arms = scratch.take<std::uint32_t>(scores.arms());
  std::size_t count = 0, rival = leader;
  double best = -infinity;
  for (std::size_t k = 0; k < scores.arms(); ++k) {
    const double chance = k == leader ? 0 : chance_against(scores, leader, k, u);
    if (chance > hopeless || k == drawn) arms[count++] = static_cast<std::uint32_t>(k);
    if (k != leader && chance > best && std::any_of(u.begin(), u.end(), [](double x) { return x != 0; }))
      best = chance, rival = k;
  }
  const auto a = scores.factor(leader), b = scores.factor(rival);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = a[i] - b[i];
  const double length = std::sqrt(dot(u, u));
  if (length > 0)
    for (double& value : u) value /= length;
  return arms.first(count);
}

// The upper envelope, left to right, in place. REQUIRES slopes that do not fall. Of equal lines the first stays
// and counts them.
std::span<Line> envelope(std::span<Line> lines) {
  std::size_t kept = 0;
  for (Line line : lines) {
    if (kept > 0 && lines[kept - 1].slope == line.slope) {
      lines[kept - 1].equals += lines[kept - 1].height == line.height;
      if (line.height <= lines[kept - 1].height) continue;
      --kept;
    }
    for (; kept > 0; --kept) {
      const Line& last = lines[kept - 1];
      line.start = (last.height - line.height) / (line.slope - last.slope);
      if (line.start > last.start) break;
    }
    if (kept == 0) line.start = -infinity;
    lines[kept++] = line;
  }
  return lines.first(kept);
}

// Arms in the order of their slopes: one sort for all samples, whose lines differ in their heights only.
struct Fan {
  std::span<const std::uint32_t> arms;
  std::span<const double> mean, slope;
  std::span<const double> across;  // F', rank x arms: a sample's heights are a product

  std::size_t size() const { return arms.size(); }
  Line line(std::size_t i, std::span<const double> height) const { return {height[i], slope[i], -infinity, i, 1}; }
};

Fan make_fan(const JointScores& scores, std::span<const double> u, Scratch& scratch) {
  const std::size_t n = scores.arms(), rank = scores.rank();
  const auto arms = scratch.take<std::uint32_t>(n);
  const auto all = scratch.take<double>(n);
  std::iota(arms.begin(), arms.end(), 0u);
  math::dots<double>(n, 1, rank, scores.factors.data(), rank, u.data(), rank, all.data(), 1);
  std::sort(arms.begin(), arms.end(),
            [&](std::uint32_t a, std::uint32_t b) { return all[a] != all[b] ? all[a] < all[b] : a < b; });
  const auto mean = scratch.take<double>(n), slope = scratch.take<double>(n),
             across = scratch.take<double>(n * rank);
  for (std::size_t i = 0; i < n; ++i) {
    mean[i] = scores.mean[arms[i]];
    slope[i] = all[arms[i]];
    const auto factor = scores.factor(arms[i]);
    for (std::size_t j = 0; j < rank; ++j) across[j * n + i] = factor[j];
  }
  return {arms, mean, slope, across};
}

// The envelope of a few lines that lead somewhere bounds from below what the others have to reach: at its
// corners and at the ends.
std::span<Line> sift(const Fan& fan, std::span<const double> height, std::span<std::uint32_t> kept,
                     std::span<Line> lines) {
  constexpr std::array<double, 5> probes = {-4, -1.5, 0, 1.5, 4};
  std::array<std::size_t, probes.size()> found;
  for (std::size_t i = 0; i < probes.size(); ++i) found[i] = highest_at(height, fan.slope, probes[i]);
  std::sort(found.begin(), found.end());
  std::array<Line, probes.size()> few;
  for (std::size_t i = 0; i < found.size(); ++i) few[i] = fan.line(found[i], height);
  const auto bound = envelope(few);
  std::array<double, probes.size() + 1> t, level;
  for (std::size_t i = 0; i <= bound.size(); ++i) {
    const Line& line = bound[std::min(i, bound.size() - 1)];
    t[i] = i == bound.size() ? farthest : std::clamp(line.start, -farthest, farthest);
    level[i] = line.at(t[i]) - 1e-12 * (std::abs(line.height) + std::abs(line.slope * t[i]));
  }
  const std::size_t points = bound.size() + 1;
  const std::size_t count = lines_reaching(height, fan.slope, std::span(t).first(points),
                                           std::span(level).first(points), kept);
  for (std::size_t i = 0; i < count; ++i) lines[i] = fan.line(kept[i], height);
  return lines.first(count);
}

// Adds P(arm leads) for the arms of one sample. Equal lines are found again among all of them.
void add_leaders(std::span<const Line> leading, const Fan& fan, std::span<const double> height,
                 std::span<double> probabilities) {
  Corner from, to;
  for (std::size_t i = 0; i < leading.size(); ++i, from = to) {
    const Line& line = leading[i];
    to = i + 1 < leading.size() ? Corner::at(leading[i + 1].start) : Corner{infinity, 0};
    const double share = interval(from, to) / static_cast<double>(line.equals);
    if (line.equals == 1) {
      probabilities[fan.arms[line.arm]] += share;
      continue;
    }
    for (std::size_t j = 0; j < fan.size(); ++j)
      if (fan.slope[j] == line.slope && height[j] == line.height) probabilities[fan.arms[j]] += share;
  }
}

// F = L Q with orthonormal rows in Q (Gram-Schmidt, twice for accuracy): L is arms x arms, and Q xi ~ N(0, I)
// again. `along`: arms numbers.
void split_factors(const JointScores& scores, std::span<double> along, std::span<double> l, std::span<double> q) {
  const std::size_t arms = scores.arms(), rank = scores.rank();
  for (std::size_t k = 0; k < arms; ++k) {
    const auto factor = scores.factor(k);
    const auto rest = q.subspan(k * rank, rank);
    std::copy(factor.begin(), factor.end(), rest.begin());
    for (int pass = 0; pass < 2 && k > 0; ++pass) {
      math::dots<double>(1, k, rank, rest.data(), rank, q.data(), rank, along.data(), k);
      for (std::size_t j = 0; j < k; ++j) l[k * arms + j] += along[j], along[j] = -along[j];
      math::gemm<double>(1, rank, k, along.data(), k, 1, q.data(), rank, 1, rest.data(), rank);
    }
    const double length = std::sqrt(dot(rest, rest));
    const bool new_direction = length > 1e-12 * std::sqrt(dot(factor, factor));
    l[k * arms + k] = new_direction ? length : 0;
    for (double& value : rest) value = new_direction ? value / length : 0;
    for (std::size_t j = 0; !new_direction && j < k; ++j)  // equal arms stay equal to the last bit
      if (std::equal(factor.begin(), factor.end(), scores.factor(j).begin()))
        std::copy_n(l.data() + j * arms, arms, l.data() + k * arms);
  }
}

double largest_of(std::span<const double> numbers) {
  double largest = 0;
  for (const double value : numbers) largest = std::max(largest, std::abs(value));
  return largest;
}

// Who leads does not depend on the unit. The best mean becomes 0, and what lies too far below it stays hopeless.
JointScores in_units_of(double unit, const JointScores& scores, Scratch& scratch) {
  const auto mean = scratch.take<double>(scores.mean.size()), factors = scratch.take<double>(scores.factors.size());
  const double best = *std::max_element(scores.mean.begin(), scores.mean.end());
  for (std::size_t k = 0; k < mean.size(); ++k) mean[k] = std::max(-1e100, (scores.mean[k] - best) / unit);
  for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = scores.factors[i] / unit;
  return {mean, factors};
}

// All samples without their components along u, a row each; the first is `xi`.
std::span<double> draw_samples(std::span<const double> xi, std::span<const double> u, std::size_t samples,
                               Stream& stream, Scratch& scratch) {
  const std::size_t rank = xi.size();
  const auto draws = scratch.take<double>(samples * rank);
  const auto numbers = scratch.take<float>((samples - 1) * rank);
  fill_normals(stream.bits64(), numbers);
  std::copy(xi.begin(), xi.end(), draws.begin());
  std::copy(numbers.begin(), numbers.end(), draws.begin() + static_cast<std::ptrdiff_t>(rank));
  const auto along = scratch.take<double>(samples);
  math::dots<double>(samples, 1, rank, draws.data(), rank, u.data(), rank, along.data(), 1);
  for (double& value : along) value = -value;
  math::gemm<double>(samples, rank, 1, along.data(), 1, 1, u.data(), rank, 1, draws.data(), rank);
  return draws;
}

JointScores of_arms(const JointScores& scores, std::span<const std::uint32_t> arms, Scratch& scratch) {
  const std::size_t rank = scores.rank();
  const auto mean = scratch.take<double>(arms.size()), factors = scratch.take<double>(arms.size() * rank);
  for (std::size_t i = 0; i < arms.size(); ++i) {
    mean[i] = scores.mean[arms[i]];
    std::copy_n(scores.factor(arms[i]).begin(), rank, factors.begin() + static_cast<std::ptrdiff_t>(i * rank));
  }
  return {mean, factors};
}

// joint_propensity() of arms that can all lead, seen along u.
void integrate(const JointScores& scores, std::span<const double> u, std::span<const double> xi,
               std::size_t samples, Stream& stream, Scratch& scratch, std::span<double> probabilities) {
  const std::size_t n = scores.arms(), rank = scores.rank();
  if (n > 2 && n < rank) {  // what of xi lies outside the factors' span moves no score: it need not be drawn
    const auto l = scratch.take<double>(n * n), q = scratch.take<double>(n * rank),
               seen = scratch.take<double>(n), within = scratch.take<double>(n);
    std::fill(l.begin(), l.end(), 0.0);
    split_factors(scores, within, l, q);
    math::dots<double>(n, 1, rank, q.data(), rank, xi.data(), rank, within.data(), 1);
    math::dots<double>(n, 1, rank, q.data(), rank, u.data(), rank, seen.data(), 1);
    return integrate({scores.mean, l}, seen, within, samples, stream, scratch, probabilities);
  }
  if (n <= 2) samples = 1;  // one line is exact
  const Fan fan = make_fan(scores, u, scratch);
  const auto draws = draw_samples(xi, u, samples, stream, scratch),
             heights = scratch.take<double>(std::min(together, samples) * n);
  const auto lines = scratch.take<Line>(n);
  const auto kept = scratch.take<std::uint32_t>(n);
  std::fill(probabilities.begin(), probabilities.end(), 0.0);
  for (std::size_t at = 0, some; at < samples; at += some) {
    some = std::min(together, samples - at);
    for (std::size_t s = 0; s < some; ++s)
      std::copy(fan.mean.begin(), fan.mean.end(), heights.begin() + static_cast<std::ptrdiff_t>(s * n));
    math::gemm<double>(some, n, rank, draws.data() + at * rank, rank, 1, fan.across.data(), n, 1,
                       heights.data(), n);
    for (std::size_t s = 0; s < some; ++s) {
      const auto height = heights.subspan(s * n, n);
      for (std::size_t i = 0; n < worth_sifting && i < n; ++i) lines[i] = fan.line(i, height);
      add_leaders(envelope(n < worth_sifting ? lines : sift(fan, height, kept, lines)), fan, height, probabilities);
    }
  }
  double total = 0;
  for (const double p : probabilities) total += p;
  for (double& p : probabilities) p /= total;
}

}  // namespace

void joint_scores(const JointScores& scores, std::span<const double> xi, std::span<double> score) {
  for (std::size_t k = 0; k < scores.arms(); ++k) score[k] = scores.mean[k] + dot(scores.factor(k), xi);
}

void joint_propensity(const JointScores& scores, std::span<const double> xi, std::size_t samples,
                      Stream& stream, Scratch& scratch, std::span<double> probabilities) {
  if (const double largest = largest_of(scores.factors); largest > 0 && largest < too_small_to_square)
    return joint_propensity(in_units_of(largest, scores, scratch), xi, samples, stream, scratch, probabilities);
  const auto u = scratch.take<double>(scores.rank()), score = scratch.take<double>(scores.arms());
  joint_scores(scores, xi, score);
  const auto drawn = static_cast<std::size_t>(std::max_element(score.begin(), score.end()) - score.begin());
  const auto able = contenders(scores, drawn, scratch, u);
  if (able.size() == scores.arms()) return integrate(scores, u, xi, samples, stream, scratch, probabilities);
  const auto shares = scratch.take<double>(able.size());
  integrate(of_arms(scores, able, scratch), u, xi, samples, stream, scratch, shares);
  std::fill(probabilities.begin(), probabilities.end(), 0.0);
  for (std::size_t i = 0; i < able.size(); ++i) probabilities[able[i]] = shares[i];
}

}  // namespace neuralts::math
