// Small worlds whose contexts and rewards a test lays down itself.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "neuralts/environment.hpp"
#include "neuralts/random.hpp"

namespace neuralts::theory {

using Row = std::vector<double>;

inline Row random_unit(Stream& stream, std::size_t dim) {
  Row x(dim);
  double square = 0;
  for (double& value : x) {
    value = stream.normal();
    square += value * value;
  }
  for (double& value : x) value /= std::sqrt(square);
  return x;
}

/// Contexts round by round. per_arm: T * K rows; disjoint: T rows, each seen by every arm in its own block.
/// With `silent`, expected rewards are hidden and only the first arm's reward is revealed.
struct LaidDown {
  std::size_t arms = 1;
  bool disjoint = false, silent = false;
  std::vector<Row> rows{};
  Row h{};  // T * K
};

class LaidDownWorld final : public Environment {
 public:
  explicit LaidDownWorld(LaidDown data)
      : Environment({.name = "laid down",
                     .shape = {data.rows[0].size(), data.disjoint ? data.arms : 1},
                     .max_arms = data.arms}),
        data_(std::move(data)) {
    info_.rounds = info_.max_rounds = data_.h.size() / data_.arms;
  }
  std::unique_ptr<Episode> start(std::uint64_t) const override { return std::make_unique<Walker>(data_); }

 private:
  class Walker final : public Episode {
   public:
    explicit Walker(const LaidDown& data) : data_(data) {}
    bool next() override {
      if (++round_ * data_.arms > data_.h.size()) return false;
      numbers_.clear();
      const std::size_t rows = data_.disjoint ? 1 : data_.arms;
      for (std::size_t i = 0; i < rows; ++i) {
        const Row& row = data_.rows[(round_ - 1) * rows + i];
        numbers_.insert(numbers_.end(), row.begin(), row.end());
      }
      contexts_ = data_.disjoint ? Contexts::disjoint(numbers_, data_.arms)
                                 : Contexts::per_arm(numbers_, data_.arms);
      return true;
    }
    const Contexts& contexts() const override { return contexts_; }
    std::span<const double> expected() const override {
      return data_.silent ? std::span<const double>()
                          : std::span(data_.h).subspan((round_ - 1) * data_.arms, data_.arms);
    }
    std::optional<double> reward(std::size_t arm) override {
      if (data_.silent && arm != 0) return std::nullopt;
      return data_.h[(round_ - 1) * data_.arms + arm];
    }

   private:
    const LaidDown& data_;
    std::size_t round_ = 0;
    Row numbers_;
    Contexts contexts_;
  };
  LaidDown data_;
};

inline LaidDown random_world(std::size_t rounds, std::size_t arms, std::size_t dim, bool disjoint,
                             std::uint64_t seed) {
  Stream stream(seed, Purpose::theory);
  LaidDown data{.arms = arms, .disjoint = disjoint};
  for (std::size_t i = 0; i < rounds * (disjoint ? 1 : arms); ++i) data.rows.push_back(random_unit(stream, dim));
  for (std::size_t i = 0; i < rounds * arms; ++i) data.h.push_back(2 * stream.uniform() - 1);
  return data;
}

}  // namespace neuralts::theory
