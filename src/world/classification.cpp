#include "world/classification.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "neuralts/random.hpp"
#include "neuralts/world_facts.hpp"

namespace neuralts {

namespace {

struct World {
  std::shared_ptr<const Table> table;
  ClassificationSettings settings;
  std::size_t features() const { return table->features.columns(); }
  std::size_t arms() const { return table->classes.size(); }
};

class ClassificationEpisode final : public Episode {
 public:
  ClassificationEpisode(const World& world, std::uint64_t seed)
      : world_(world), order_(world.table->labels.size()), expected_(world.arms()) {
    std::iota(order_.begin(), order_.end(), 0);
    Stream(seed, Purpose::data_order).shuffle(order_);
    const bool shared = world.settings.encoder == ArmEncoding::disjoint;
    numbers_.resize(shared ? world.features() : world.arms() * (world.features() + world.arms()));
    contexts_ = shared ? Contexts::disjoint(numbers_, world.arms()) : Contexts::per_arm(numbers_, world.arms());
  }

  bool next() override {
    if (at_ == order_.size()) return false;
    const std::size_t row = order_[at_++];
    const auto x = std::span(numbers_).first(world_.features());
    read_row(row, x);
    if (world_.settings.encoder == ArmEncoding::onehot_arm) append_arms(x);
    pay(row);
    if (world_.settings.switch_at > 0 && at_ > world_.settings.switch_at)
      std::rotate(expected_.rbegin(), expected_.rbegin() + 1, expected_.rend());
    return true;
  }
  const Contexts& contexts() const override { return contexts_; }
  std::span<const double> expected() const override { return expected_; }
  std::optional<double> reward(std::size_t arm) override { return expected_[arm]; }

 private:
  void read_row(std::size_t row, std::span<double> x) const {
    world_.table->features.row(row, x);
    world_.settings.scaling.apply(x);
    double square = 0;
    for (double& value : x) {
      if (std::isnan(value)) value = world_.settings.missing;
      square += value * value;
    }
    if (!world_.settings.unit_rows || square == 0) return;
    for (double& value : x) value /= std::sqrt(square);
  }

  void pay(std::size_t row) {
    const auto& rewards = world_.table->rewards;
    std::fill(expected_.begin(), expected_.end(), 0.0);
    if (rewards.empty())
      expected_[world_.table->labels[row]] = 1;
    else
      std::copy_n(rewards.begin() + static_cast<std::ptrdiff_t>(row * expected_.size()), expected_.size(),
                  expected_.begin());
  }

  // Row k becomes [x; e_k]; with unit rows both halves weigh the same and the whole has length 1.
  void append_arms(std::span<double> x) {
    const double weight = world_.settings.unit_rows ? std::sqrt(0.5) : 1;
    for (double& value : x) value *= weight;
    const std::size_t length = x.size() + world_.arms();
    for (std::size_t k = 0; k < world_.arms(); ++k) {
      const auto context = std::span(numbers_).subspan(k * length, length);
      if (k > 0) std::copy(x.begin(), x.end(), context.begin());
      std::fill(context.begin() + static_cast<std::ptrdiff_t>(x.size()), context.end(), 0.0);
      context[x.size() + k] = weight;
    }
  }

  World world_;
  std::vector<std::uint32_t> order_;
  std::size_t at_ = 0;
  std::vector<double> numbers_, expected_;
  Contexts contexts_;
};

EnvironmentInfo describe(const World& world) {
  constexpr std::size_t published_horizon = 10'000;
  const std::size_t rows = world.table->labels.size();
  const bool disjoint = world.settings.encoder == ArmEncoding::disjoint;
  EnvironmentInfo info{
      .name = world.settings.name,
      .shape = disjoint ? Shape{world.features(), world.arms()} : Shape{world.features() + world.arms(), 1},
      .max_arms = world.arms(),
      .rounds = std::min(published_horizon, rows),
      .max_rounds = rows,
      .arm_labels = world.table->classes};
  for (const auto& column : world.table->columns) info.column_names.push_back(column.name);
  if (!disjoint)
    for (const auto& label : world.table->classes) info.column_names.push_back("arm " + label);
  return info;
}

class Classification final : public Environment, public WorldFacts {
 public:
  explicit Classification(World world) : Environment(describe(world)), world_(std::move(world)) {}
  std::unique_ptr<Episode> start(std::uint64_t seed) const override {
    return std::make_unique<ClassificationEpisode>(world_, seed);
  }
  std::string identity() const override { return world_.settings.identity; }

 private:
  World world_;
};

}  // namespace

std::shared_ptr<const Environment> make_classification(std::shared_ptr<const Table> table,
                                                       const ClassificationSettings& settings) {
  return std::make_shared<Classification>(World{std::move(table), settings});
}

}  // namespace neuralts
