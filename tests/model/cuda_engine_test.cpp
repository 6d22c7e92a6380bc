// The device against the processor, on random jobs of every option. Skipped, with a word, where there is no device.
#include "model/cuda/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "model/fit.hpp"
#include "neuralts/error.hpp"

namespace neuralts {
namespace {

struct Variant {
  const char* name;
  Shape input;
  std::size_t units, depth, rounds;
  bool biases = true;
  TrainerSettings settings{};
  bool weighted = false;
  std::size_t idle_block = std::numeric_limits<std::size_t>::max();  // a block that no round lies in
};

TrainerSettings rule(Optimiser optimiser, double step, double decay, Anchor anchor) {
  TrainerSettings settings;
  settings.optimiser = optimiser;
  settings.step = step;
  settings.iterations = 20;
  settings.mean_loss = true;
  settings.decay = decay;
  settings.anchor = anchor;
  return settings;
}

std::vector<Variant> variants() {
  const auto descent = rule(Optimiser::descent, 0.05, 0.01, Anchor::zero),
             momentum = rule(Optimiser::momentum, 0.01, 0.1, Anchor::initial),
             adam = rule(Optimiser::adam, 0.003, 0.01, Anchor::initial);
  auto measured = rule(Optimiser::descent, 0, 0.3, Anchor::initial);
  measured.mean_loss = false;
  auto from_start = momentum;
  from_start.warm = false;
  auto over_n = descent;
  over_n.decay_over_n = true;
  auto kept = adam;
  kept.keep_moments = true;
  std::vector<Variant> all{
      {"one column, one round", {1, 1}, 4, 2, 1, false, measured},
      {"shuttle's", {9, 7}, 100, 2, 700, true, over_n, false, 3},
      {"magic's", {10, 2}, 100, 2, 333, true, momentum},
      {"adult's, weighted", {14, 2}, 100, 2, 500, true, adam, true},
      {"mushroom's", {22, 2}, 100, 2, 5000, true, over_n},
      {"covertype's", {54, 7}, 100, 2, 3000, true, over_n, false, 6},
      {"covertype's, measured", {54, 7}, 100, 2, 600, false, measured, true},
      {"as wide as tensor cores take", {55, 3}, 128, 2, 300, true, adam},
      {"odd units", {22, 3}, 37, 2, 300, true, kept, true},
      {"odd columns", {29, 1}, 99, 2, 257, false, from_start},
      {"no biases", {27, 2}, 64, 2, 1100, false, momentum},
      {"MNIST's, in the span", {784, 3}, 100, 2, 300, true, over_n},
      {"in the span, momentum", {200, 3}, 100, 2, 150, false, momentum, true},
      {"in the span, measured", {90, 2}, 40, 2, 130, true, measured, false, 1},
      {"wide", {200, 3}, 100, 2, 150, true, adam, true},
      {"more units", {12, 2}, 130, 2, 200, true, measured},
      {"deep", {5, 3}, 37, 4, 333, true, momentum, true},
      {"deep, measured", {10, 2}, 60, 3, 200, true, measured},
      {"deep, no biases", {8, 1}, 20, 5, 100, false, kept},
  };
  for (std::size_t d = 1; d <= 56; d += 5)
    all.push_back(
        {"every width of a tile", {d, 2}, 100, 2, 90, d % 2 == 0, d % 3 == 0 ? adam : descent, d % 4 == 0});
  if (std::getenv("NEURALTS_FEW_ROUNDS") != nullptr)  // a checker of memory makes everything a hundred times slower
    for (auto& v : all) {
      v.rounds = std::min<std::size_t>(v.rounds, 150);
      v.settings.iterations = 2;
    }
  return all;
}

History<float> random_history(const Variant& v, Stream& stream) {
  History<float> history(v.input);
  std::vector<float> x(v.input.length);
  for (std::size_t i = 0; i < v.rounds; ++i) {
    for (float& value : x)
      value = static_cast<float>(stream.normal() / std::sqrt(static_cast<double>(v.input.length)));
    const std::size_t block = stream.below(v.input.blocks);
    history.append(block == v.idle_block ? 0 : block, std::span<const float>(x),
                   static_cast<float>(stream.uniform()));
  }
  return history;
}

template <class T>
History<T> as(const History<float>& from) {
  History<T> to(from.shape());
  const std::size_t d = from.shape().length;
  for (std::size_t k = 0; k < from.blocks().size(); ++k)
    for (std::size_t i = 0; i < from.blocks()[k].rows(); ++i) {
      const std::vector<T> row(from.blocks()[k].x.begin() + static_cast<std::ptrdiff_t>(i * d),
                               from.blocks()[k].x.begin() + static_cast<std::ptrdiff_t>((i + 1) * d));
      to.append(k, std::span<const T>(row), static_cast<T>(from.blocks()[k].rewards[i]));
    }
  return to;
}

/// One network with all a job refers to.
template <class T>
struct Member {
  NetworkShape shape;
  TrainerSettings settings;
  History<T> history;
  Network<T> network;
  FitState<T> state;
  RoundWeights<T> weights;

  Member(const Variant& v, const History<float>& rounds, const std::vector<float>& theta)
      : shape{.input = v.input, .units = v.units, .depth = v.depth, .biases = v.biases, .scale = 1.25},
        settings(v.settings),
        history(as<T>(rounds)),
        network(shape, std::vector<T>(theta.begin(), theta.end())),
        state(settings, network, 1) {
    // Away from the anchor, so that its pull is seen.
    for (T& value : network.mutable_theta()) value *= static_cast<T>(1.25);
    network.refresh();
    weigh(v.weighted);
  }
  void weigh(bool weighted) {
    weights.clear();
    for (const auto& block : history.blocks())
      if (weighted) {
        weights.emplace_back(block.rows());
        for (std::size_t i = 0; i < block.rows(); ++i)
          weights.back()[i] = static_cast<T>(0.5 * static_cast<double>(i % 3));
      }
  }
  TrainJob job() {
    return {FitJob<T>{.network = &network,
                      .history = &history,
                      .weights = &weights,
                      .settings = &settings,
                      .state = &state}};
  }
};

/// A network on the device beside its twins on the processor, in float64 and in float32.
struct Pair {
  Variant variant;
  Stream stream;
  std::vector<float> theta;
  History<float> rounds;
  Member<float> device, same;
  Member<double> twin;

  Pair(const Variant& v, std::uint64_t seed)
      : variant(v), stream(seed, Purpose::theory), theta(random_theta()), rounds(random_history(v, stream)), device(v, rounds, theta), same(v, rounds, theta), twin(v, rounds, theta) {}

  std::vector<float> random_theta() {
    const NetworkShape shape{.input = variant.input,
                             .units = variant.units,
                             .depth = variant.depth,
                             .biases = variant.biases,
                             .scale = 1.25};
    std::vector<float> numbers(shape.parameters());
    for (float& value : numbers)
      value = static_cast<float>(stream.normal() / std::sqrt(static_cast<double>(variant.units)));
    return numbers;
  }
  void add_round() {
    std::vector<float> x(variant.input.length);
    for (float& value : x) value = static_cast<float>(stream.normal());
    const auto reward = static_cast<float>(stream.uniform());
    const std::vector<double> wide(x.begin(), x.end());
    for (auto* member : {&device, &same}) {
      member->history.append(0, std::span<const float>(x), reward);
      member->weigh(variant.weighted);
    }
    twin.history.append(0, std::span<const double>(wide), static_cast<double>(reward));
    twin.weigh(variant.weighted);
  }
  /// |network - twin| over |twin - start|, with the start where the training began.
  double error(const Member<float>& member) const {
    double apart = 0, moved = 0;
    for (std::size_t i = 0; i < theta.size(); ++i) {
      const double here = static_cast<double>(member.network.theta()[i]), there = twin.network.theta()[i];
      const double start = 1.25 * static_cast<double>(theta[i]);
      apart += (here - there) * (here - there);
      moved += (there - start) * (there - start);
    }
    return std::sqrt(apart / moved);
  }
};

std::vector<Pair> pairs() {
  std::vector<Pair> all;
  std::uint64_t seed = 1;
  for (const auto& v : variants()) all.emplace_back(v, seed++);
  return all;
}

template <class Members>
std::vector<TrainJob> jobs_of(Members&& members) {
  std::vector<TrainJob> jobs;
  for (auto& pair : members) jobs.push_back(pair.device.job());
  return jobs;
}

class CudaEngineTest : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda_devices().empty()) GTEST_SKIP() << "no CUDA device, or a build without CUDA";
    engine_ = make_cuda_engine();
  }
  std::unique_ptr<CudaEngine> engine_;
};

// Both round in float32, in another order: neither is nearer to float64 by nature. What one training rounds, a
// unit that changes sides or Adam's division by a small root enlarges, in either of them alike; ten times the
// processor's own error leaves room for that, and below 1e-4 of the move (2^-24 of parameters that moved by a
// thousandth) there is nothing to tell apart.
TEST_F(CudaEngineTest, FitsWhatTheProcessorFits) {
  auto all = pairs();
  for (int training = 0; training < 3; ++training) {  // the histories stay on the device and grow
    auto jobs = jobs_of(all);
    ASSERT_TRUE(engine_->train(jobs, {}));
    for (auto& pair : all) {
      std::vector<TrainJob> twins{pair.twin.job(), pair.same.job()};
      processor_engine().train(twins, {});
      EXPECT_LT(pair.error(pair.device), std::max(1e-4, 10 * pair.error(pair.same)))
          << pair.variant.name << ", training " << training;
      EXPECT_EQ(std::get<FitJob<double>>(twins[0].fit).steps_taken, pair.variant.settings.iterations);
      EXPECT_EQ(pair.device.state.steps, pair.twin.state.steps);
      pair.add_round();
    }
    for (const auto& job : jobs)
      EXPECT_EQ(std::get<FitJob<float>>(job.fit).steps_taken, all[0].variant.settings.iterations);
  }
  EXPECT_TRUE(engine_->notes().empty());
}

TEST_F(CudaEngineTest, CompanyChangesNoBit) {
  auto together = pairs();
  auto jobs = jobs_of(together);
  engine_->train(jobs, {});
  auto alone = pairs();
  for (std::size_t i = 0; i < alone.size(); ++i) {
    std::vector<TrainJob> one{alone[i].device.job()};
    engine_->train(one, {});
    const auto a = alone[i].device.network.theta(), b = together[i].device.network.theta();
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin())) << alone[i].variant.name;
  }
}

TEST_F(CudaEngineTest, RoundsWrittenAnewAreReadAnew) {
  Pair pair(variants()[2], 7);
  std::vector<TrainJob> jobs{pair.device.job()};
  engine_->train(jobs, {});
  Pair other(variants()[2], 8);
  pair.device.history = other.device.history;  // as many rounds, other numbers
  std::copy(other.device.network.theta().begin(), other.device.network.theta().end(),
            pair.device.network.mutable_theta().begin());
  pair.device.state = other.device.state;
  jobs = {pair.device.job(), other.device.job()};
  engine_->train(jobs, {});
  const auto a = pair.device.network.theta(), b = other.device.network.theta();
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin()));
}

TEST_F(CudaEngineTest, ADivergingTrainingIsUndoneAndCounted) {
  auto wild = variants()[4];
  wild.settings.step = 1e6;
  Pair pair(wild, 3), calm(variants()[4], 3);
  const std::vector<float> before(pair.device.network.theta().begin(), pair.device.network.theta().end());
  std::vector<TrainJob> jobs{pair.device.job(), calm.device.job()};
  ASSERT_TRUE(engine_->train(jobs, {}));
  EXPECT_TRUE(std::equal(before.begin(), before.end(), pair.device.network.theta().begin()));
  EXPECT_EQ(pair.device.state.diverged, 1u);
  EXPECT_EQ(std::get<FitJob<float>>(jobs[0].fit).steps_taken, 0u);
  EXPECT_EQ(calm.device.state.diverged, 0u);
}

TEST_F(CudaEngineTest, WhatItDoesNotTakeGoesToTheProcessorAndIsSaidOnce) {
  auto sampled = variants()[2];
  sampled.settings.batch = 16;
  Pair pair(sampled, 5), twin(sampled, 5);
  std::vector<TrainJob> jobs{pair.device.job(), pair.twin.job()}, same{twin.device.job()};
  engine_->train(jobs, {});
  engine_->train(jobs, {});
  processor_engine().train(same, {});
  processor_engine().train(same, {});
  const auto a = pair.device.network.theta(), b = twin.device.network.theta();
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin()));  // the same bits: it was the processor
  EXPECT_EQ(engine_->notes().size(), 2u);
}

TEST(CudaEngine, SaysWhyThereIsNone) {
  if (!cuda_devices().empty()) GTEST_SKIP() << "there is a device";
  try {
    make_cuda_engine();
    FAIL() << "an engine without a device";
  } catch (const Error& problem) {
    EXPECT_EQ(problem.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string(problem.what()).find("--device cuda: "), std::string::npos) << problem.what();
  }
}

}  // namespace
}  // namespace neuralts
