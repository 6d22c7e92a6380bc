// Given all of xi but its component t along one direction u, every score is a line in t, and which arm leads is decided by the
// upper envelope of the lines. Its pieces are intervals of t ~ N(0, 1): one sample yields a smooth probability for every arm.
// With u along the difference of the two leading arms' factors their contest is integrated exactly, whatever the rest is.
#include "math/joint_propensity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/simd.hpp"

namespace neuralts::math {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Line {
  double height = 0, slope = 0;  // height + slope * t
  double start = -infinity;      // from where on it leads
  std::size_t arm = 0, equals = 1;
};

double dot(std::span<const double> x, std::span<const double> y) { return math::dot(x.size(), x.data(), y.data()); }

double upper_tail(double t) { return 0.5 * std::erfc(t * std::sqrt(0.5)); }

// P(from < t < to), without cancellation in either tail.
double interval(double from, double to) {
  return from > 0 ? upper_tail(from) - upper_tail(to) : upper_tail(-to) - upper_tail(-from);
}

// The arm most likely to beat the one with the largest mean, in a contest of the two.
std::size_t strongest_rival(const JointScores& scores, std::size_t leader, std::span<double> difference) {
  std::size_t rival = leader;
  double best = -infinity;
  for (std::size_t k = 0; k < scores.arms(); ++k) {
    if (k == leader) continue;
    const auto a = scores.factor(leader), b = scores.factor(k);
    for (std::size_t i = 0; i < difference.size(); ++i) difference[i] = a[i] - b[i];
    const double spread = std::sqrt(dot(difference, difference));
    const double chance = spread > 0 ? (scores.mean[k] - scores.mean[leader]) / spread : -infinity;
    if (chance > best) {
      best = chance;
      rival = k;
    }
  }
  return rival;
}

// A unit vector, or zeros where all contests are decided by the means alone.
void choose_direction(const JointScores& scores, std::span<double> u) {
  const auto leader = static_cast<std::size_t>(std::max_element(scores.mean.begin(), scores.mean.end()) - scores.mean.begin());
  const std::size_t rival = strongest_rival(scores, leader, u);
  const auto a = scores.factor(leader), b = scores.factor(rival);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = a[i] - b[i];
  const double length = std::sqrt(dot(u, u));
  if (length > 0)
    for (double& value : u) value /= length;
}

// Keeps, in place, one line of each group of equal ones and drops parallels that lie below. Sorted by slope afterwards.
std::span<Line> distinct(std::span<Line> lines) {
  std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
    return a.slope != b.slope ? a.slope < b.slope : a.height != b.height ? a.height > b.height : a.arm < b.arm;
  });
  std::size_t kept = 0;
  for (const Line& line : lines) {
    if (kept > 0 && lines[kept - 1].slope == line.slope) {
      lines[kept - 1].equals += lines[kept - 1].height == line.height;
      continue;
    }
    lines[kept++] = line;
  }
  return lines.first(kept);
}

// The upper envelope, left to right, in place.
std::span<Line> envelope(std::span<Line> lines) {
  lines = distinct(lines);
  std::size_t kept = 0;
  for (Line line : lines) {
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

// Adds P(arm leads) for the arms of one sample. `all` is the untouched copy: equal lines are found again there.
void add_leaders(std::span<const Line> leading, std::span<const Line> all, std::span<double> probabilities) {
  for (std::size_t i = 0; i < leading.size(); ++i) {
    const Line& line = leading[i];
    const double share = interval(line.start, i + 1 < leading.size() ? leading[i + 1].start : infinity) / static_cast<double>(line.equals);
    if (line.equals == 1) {
      probabilities[line.arm] += share;
      continue;
    }
    for (const Line& other : all)
      if (other.slope == line.slope && other.height == line.height) probabilities[other.arm] += share;
  }
}

// F = L Q with orthonormal rows in Q (Gram-Schmidt, twice for accuracy): L is arms x arms, and Q xi ~ N(0, I) again.
void split_factors(const JointScores& scores, std::span<double> l, std::span<double> q) {
  const std::size_t arms = scores.arms(), rank = scores.rank();
  for (std::size_t k = 0; k < arms; ++k) {
    const auto factor = scores.factor(k);
    const auto rest = q.subspan(k * rank, rank);
    std::copy(factor.begin(), factor.end(), rest.begin());
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t j = 0; j < k; ++j) {
        const auto row = q.subspan(j * rank, rank);
        const double along = dot(rest, row);
        l[k * arms + j] += along;
        math::axpy(rank, -along, row.data(), rest.data());
      }
    const double length = std::sqrt(dot(rest, rest));
    const bool new_direction = length > 1e-12 * std::sqrt(dot(factor, factor));
    l[k * arms + k] = new_direction ? length : 0;
    for (double& value : rest) value = new_direction ? value / length : 0;
  }
}

}  // namespace

void joint_scores(const JointScores& scores, std::span<const double> xi, std::span<double> score) {
  for (std::size_t k = 0; k < scores.arms(); ++k) score[k] = scores.mean[k] + dot(scores.factor(k), xi);
}

void joint_propensity(const JointScores& scores, std::span<const double> xi, std::size_t samples, Stream& stream, Scratch& scratch,
                      std::span<double> probabilities) {
  const std::size_t arms = scores.arms(), rank = scores.rank();
  if (arms > 2 && arms < rank) {  // what of xi lies outside the factors' span moves no score: it need not be drawn
    const auto l = scratch.take<double>(arms * arms), q = scratch.take<double>(arms * rank), within = scratch.take<double>(arms);
    std::fill(l.begin(), l.end(), 0.0);
    split_factors(scores, l, q);
    for (std::size_t k = 0; k < arms; ++k) within[k] = dot(q.subspan(k * rank, rank), xi);
    return joint_propensity({scores.mean, l}, within, samples, stream, scratch, probabilities);
  }
  const auto u = scratch.take<double>(scores.rank()), draw = scratch.take<double>(scores.rank());
  const auto slope = scratch.take<double>(arms), height = scratch.take<double>(arms);
  const auto lines = scratch.take<Line>(arms), work = scratch.take<Line>(arms);
  choose_direction(scores, u);
  for (std::size_t k = 0; k < arms; ++k) slope[k] = dot(scores.factor(k), u);
  std::fill(probabilities.begin(), probabilities.end(), 0.0);
  if (arms <= 2) samples = 1;  // one line is exact
  for (std::size_t s = 0; s < samples; ++s) {
    if (s == 0) std::copy(xi.begin(), xi.end(), draw.begin());
    else std::generate(draw.begin(), draw.end(), [&] { return stream.normal(); });
    joint_scores(scores, draw, height);
    const double along = dot(draw, u);
    for (std::size_t k = 0; k < arms; ++k) lines[k] = {height[k] - along * slope[k], slope[k], -infinity, k, 1};
    std::copy(lines.begin(), lines.end(), work.begin());
    add_leaders(envelope(work), lines, probabilities);
  }
  double total = 0;
  for (const double p : probabilities) total += p;
  for (double& p : probabilities) p /= total;
}

}  // namespace neuralts::math
