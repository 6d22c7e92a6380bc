#include "model/logistic_path.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "math/simd.hpp"

namespace neuralts {

namespace {

constexpr double prior_variance = 4;
constexpr double affordable_work = 2e5;  // K q^2
constexpr double alike = 1e-3;           // of the rewards' standard deviation; two values are two of them apart
constexpr double least_odds = 1e-4;      // of the mean reward
constexpr double least_told = 1e-6;      // p (1 - p)

bool affordable(const Shape& shape) {
  const double q = static_cast<double>(shape.length) + 1;
  return static_cast<double>(shape.blocks) * q * q <= affordable_work;
}

double probability(double m) { return 1 / (1 + std::exp(-m)); }

// s = c (y - p(m + v s)): between 0 and what it would be for v = 0. By Newton's method, halving where it leaves what is left.
double innovation(double y, double c, double m, double v) {
  constexpr int most_steps = 60;
  constexpr double close = 1e-13;
  double near = 0, far = c * (y - probability(m)), s = 0;
  for (int step = 0; step < most_steps; ++step) {
    const double p = probability(m + v * s), left = c * (y - p) - s;
    if (std::abs(left) <= close * c) break;
    (left * far > 0 ? near : far) = s;
    s += left / (1 + c * v * p * (1 - p));
    if ((s - near) * (s - far) > 0) s = (near + far) / 2;
  }
  return s;
}

}  // namespace

LogisticPath::LogisticPath(const Shape& shape, bool wanted)
    : shape_(shape), blocks_(wanted && affordable(shape) ? shape.blocks : 0), cursor_(blocks_.size()) {}

void LogisticPath::restart() {
  blocks_.assign(blocks_.size(), {});
  cursor_.restart();
  looked_ = speaks_ = false;
}

template <class T>
void LogisticPath::look_at_rewards(const History<T>& history) {
  for (auto* numbers : {&phi_, &solved_}) numbers->resize(length());
  looked_ = true;
  std::size_t lows = 0, highs = 0;
  for (const auto& block : history.blocks())
    for (const T value : block.rewards) {
      const auto reward = static_cast<double>(value);
      if (lows + highs == 0) low_ = high_ = reward;
      if (outcome(reward) < 0) {
        if (highs > 0) return;
        if (reward < low_) high_ = low_, low_ = reward, highs = lows, lows = 0;
        else high_ = reward;
      }
      ++(outcome(reward) == 0 ? lows : highs);
    }
  speaks_ = lows > 1 && highs > 1;
}

int LogisticPath::outcome(double reward) const {
  return std::abs(reward - low_) < alike ? 0 : std::abs(reward - high_) < alike ? 1 : -1;
}

auto LogisticPath::blank() const -> Block {
  const double odds = std::max(least_odds, -low_) / std::max(least_odds, high_);
  Block out{math::RankOneCholesky(length(), 1 / prior_variance), std::vector<double>(length())};
  out.weights.back() = std::log(odds);
  return out;
}

template <class T>
void LogisticPath::catch_up(const History<T>& history, const RoundWeights<T>& weights, std::size_t most) {
  if (!wanted()) return;
  if (!looked_) look_at_rewards(history);
  cursor_.advance(history, most, [&](std::size_t k, std::size_t first, std::size_t last) {
    take_in<T>(history.blocks()[k], weights.empty() ? nullptr : weights[k].data(), first, last, blocks_[k]);
  });
}

template <class T>
void LogisticPath::take_in(const typename History<T>::Block& rounds, const T* weights, std::size_t first, std::size_t last,
                           Block& block) {
  if (!speaks_) return;
  if (block.weights.empty()) block = blank();
  for (std::size_t row = first; row < last; ++row) {
    const double weight = weights == nullptr ? 1 : static_cast<double>(weights[row]);
    if (!(weight > 0)) continue;
    const int came = outcome(static_cast<double>(rounds.rewards[row]));
    if (came < 0) {
      speaks_ = false;
      return blocks_.assign(blocks_.size(), {});
    }
    const T* const x = rounds.x.data() + row * shape_.length;
    std::copy_n(x, shape_.length, phi_.begin());
    phi_.back() = 1;
    learn(came, weight, block);
  }
}

void LogisticPath::learn(int outcome, double weight, Block& block) {
  const std::size_t q = length();
  std::copy(phi_.begin(), phi_.end(), solved_.begin());
  block.factor.solve_transposed(solved_.data());
  const double v = math::dot(q, solved_.data(), solved_.data()), m = math::dot(q, phi_.data(), block.weights.data()),
               s = innovation(outcome, weight, m, v), p = probability(m + v * s);
  block.factor.solve(solved_.data());
  math::axpy(q, s, solved_.data(), block.weights.data());
  const double root = std::sqrt(weight * std::max(least_told, p * (1 - p)));
  for (double& value : phi_) value *= root;
  block.factor.update(phi_.data());
}

template <class T>
double LogisticPath::mean(const T* x, std::size_t block) const {
  const auto& w = blocks_[block].weights;
  if (w.empty()) return 0;
  const double m = std::inner_product(w.begin(), w.end() - 1, x, w.back(), std::plus<>(),
                                      [](double weight, T value) { return weight * static_cast<double>(value); });
  return low_ + (high_ - low_) * probability(m);
}

std::size_t LogisticPath::memory() const {
  std::size_t bytes = cursor_.memory() + (phi_.capacity() + solved_.capacity()) * sizeof(double);
  for (const Block& block : blocks_) bytes += block.factor.memory() + block.weights.capacity() * sizeof(double);
  return bytes;
}

void LogisticPath::save(Writer& out) const {
  if (!wanted()) return;
  cursor_.save(out);
  for (const bool flag : {looked_, speaks_}) out.value<std::uint8_t>(flag);
  for (const double value : {low_, high_}) out.value(value);
  for (const Block& block : blocks_) {
    out.values(block.weights);
    out.values(block.factor.packed());
  }
}

void LogisticPath::load(Reader& in) {
  if (!wanted()) return;
  restart();
  cursor_.load(in);
  looked_ = in.value<std::uint8_t>() != 0;
  speaks_ = in.value<std::uint8_t>() != 0;
  low_ = in.value<double>();
  high_ = in.value<double>();
  for (auto* numbers : {&phi_, &solved_}) numbers->resize(looked_ ? length() : 0);
  for (Block& block : blocks_) {
    block.weights = in.values<double>();
    const std::size_t q = block.weights.size();
    if (q != 0 && q != length()) in.fail();
    block.factor.restore(q, in.values<double>(q * (q + 1) / 2));
  }
}

template void LogisticPath::catch_up<float>(const History<float>&, const RoundWeights<float>&, std::size_t);
template void LogisticPath::catch_up<double>(const History<double>&, const RoundWeights<double>&, std::size_t);
template double LogisticPath::mean<float>(const float*, std::size_t) const;
template double LogisticPath::mean<double>(const double*, std::size_t) const;

}  // namespace neuralts
