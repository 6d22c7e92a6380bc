#include "model/kernel.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "golden.hpp"
#include "model/predict.hpp"
#include "model/trainer.hpp"

namespace neuralts {
namespace {

using Kind = KernelFunction::Kind;

struct GoldenCase {
  const char* file;
  Kind kind;
};

class KernelGolden : public testing::TestWithParam<GoldenCase> {};

TEST_P(KernelGolden, Agrees) {
  const auto file = golden_file(GetParam().file);
  const Rows X = file["X"], query = file["query"];
  const std::vector<double> r = file["r"], mean = file["mean"], variance = file["variance"];
  KernelBelief belief({.length = X[0].size()},
                      {.function = {.kind = GetParam().kind}, .lambda = file["lambda"], .cap = X.size()});
  for (std::size_t i = 0; i < X.size(); ++i) learn(belief, std::vector<Finished>{{{X[i], 0}, r[i]}});
  for (std::size_t q = 0; q < query.size(); ++q) {
    const Prediction p = predict(belief, Contexts::per_arm(query[q], 1));
    EXPECT_NEAR(p.mean[0], mean[q], 1e-8);
    EXPECT_NEAR(p.width[0] * p.width[0], variance[q], 1e-8);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, KernelGolden,
                         testing::Values(GoldenCase{"kernel_laplacian.json", Kind::laplacian},
                                         GoldenCase{"kernel_rbf.json", Kind::rbf}),
                         [](const auto& test) { return test.index == 0 ? "laplacian" : "rbf"; });

TEST(KernelFunction, NtkIsTheGoldenTangentKernel) {
  const auto file = golden_file("ntk.json");
  const Rows X = file["X"];
  for (const auto& item : file["cases"]) {
    const KernelFunction kernel{.kind = Kind::ntk, .depth = item["L"]};
    const Rows H = item["H"];
    for (std::size_t i = 0; i < X.size(); ++i)
      for (std::size_t j = 0; j < X.size(); ++j)
        EXPECT_NEAR(i == j ? kernel.self(norm(X[i])) : kernel.same_block(X[i], norm(X[i]), X[j], norm(X[j])),
                    H[i][j], 1e-8);
  }
}

TEST(KernelFunction, OtherBlocksAreContextsPaddedWithZeros) {
  const std::vector<double> x{0.3, -0.4}, y{0.1, 0.7}, left{0.3, -0.4, 0, 0}, right{0, 0, 0.1, 0.7};
  for (const Kind kind : {Kind::laplacian, Kind::rbf, Kind::ntk}) {
    const KernelFunction kernel{.kind = kind, .length = 0.6, .depth = 3};
    EXPECT_NEAR(kernel.other_block(norm(x), norm(y)), kernel.same_block(left, norm(left), right, norm(right)),
                1e-14);
    EXPECT_NEAR(kernel.self(norm(x)), kernel.same_block(x, norm(x), x, norm(x)), 1e-14);
  }
}

// Every history length up to 300, disjoint contexts: the grown factor against a fresh one.
class KernelClosedForm : public testing::TestWithParam<Kind> {};

TEST_P(KernelClosedForm, HistoriesUpTo300) {
  const Shape shape{.length = 4, .blocks = 3};
  const KernelFunction kernel{.kind = GetParam(), .length = 0.8, .depth = 2};
  const double lambda = 0.2;
  Stream stream(8, Purpose::theory);
  KernelBelief belief(shape, {.function = kernel, .lambda = lambda, .cap = 300});
  Rows X;
  std::vector<std::size_t> blocks;
  Eigen::VectorXd r;
  Eigen::MatrixXd K;
  const auto value = [&](const std::vector<double>& x, std::size_t a, const std::vector<double>& y, std::size_t b) {
    return a == b ? kernel.same_block(x, norm(x), y, norm(y)) : kernel.other_block(norm(x), norm(y));
  };
  for (Eigen::Index n = 1; n <= 300; ++n) {
    X.push_back(n % 7 == 0 ? X.back() : random_numbers(stream, shape.length));
    blocks.push_back(stream.below(shape.blocks));
    const double reward = stream.normal();
    learn(belief, std::vector<Finished>{{{X.back(), blocks.back()}, reward}});
    K.conservativeResize(n, n);
    r.conservativeResize(n);
    r[n - 1] = reward;
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      K(i, n - 1) = K(n - 1, i) = value(X[at], blocks[at], X.back(), blocks.back()) + (i == n - 1 ? lambda : 0);
    }
    const Eigen::LLT<Eigen::MatrixXd> solver(K);
    const auto query = random_numbers(stream, shape.length);
    const Prediction p = predict(belief, Contexts::disjoint(query, shape.blocks));
    for (std::size_t k = 0; k < shape.blocks; ++k) {
      Eigen::VectorXd column(n);
      for (Eigen::Index i = 0; i < n; ++i)
        column[i] = value(X[static_cast<std::size_t>(i)], blocks[static_cast<std::size_t>(i)], query, k);
      ASSERT_NEAR(p.mean[k], column.dot(solver.solve(r)), 1e-9) << n;
      ASSERT_NEAR(p.width[k] * p.width[k], kernel.self(norm(query)) - column.dot(solver.solve(column)), 1e-9) << n;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, KernelClosedForm, testing::Values(Kind::laplacian, Kind::rbf, Kind::ntk));

class AtCap : public testing::Test {
 protected:
  static constexpr std::size_t cap = 30;
  KernelSettings settings(bool replace) { return {.function = {}, .lambda = 0.5, .cap = cap, .replace = replace}; }
  void feed(KernelBelief& belief, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      Stream stream(i, Purpose::theory);
      const auto x = random_numbers(stream, 3);
      learn(belief, std::vector<Finished>{{{x, 0}, stream.normal()}});
    }
  }
  const std::vector<double> query_{0.1, 0.2, -0.3};
  const Contexts contexts_ = Contexts::per_arm(query_, 1);
};

TEST_F(AtCap, StopKeepsWhatWasLearnedAndSaysSo) {
  KernelBelief belief({.length = 3}, settings(false)), first({.length = 3}, settings(false));
  feed(belief, 0, 100);
  feed(first, 0, cap);
  EXPECT_EQ(predict(belief, contexts_).mean, predict(first, contexts_).mean);
  EXPECT_EQ(predict(belief, contexts_).width, predict(first, contexts_).width);
  ASSERT_EQ(belief.notes().size(), 1u);
  EXPECT_NE(belief.notes()[0].find("learns no more"), std::string::npos);
  EXPECT_TRUE(first.notes().empty());
}

TEST_F(AtCap, ReplaceHoldsTheNewestPointsOnly) {
  KernelBelief belief({.length = 3}, settings(true));
  feed(belief, 0, 100);  // the 31st, 34th, ... made three leave: 72 have gone by the hundredth
  ASSERT_EQ(belief.points(), 28u);
  KernelBelief newest({.length = 3}, settings(true));
  feed(newest, 72, 100);
  EXPECT_NEAR(predict(belief, contexts_).mean[0], predict(newest, contexts_).mean[0], 1e-13);
  EXPECT_NEAR(predict(belief, contexts_).width[0], predict(newest, contexts_).width[0], 1e-13);
}

TEST_F(AtCap, ReplaceBoundsTheMemory) {
  KernelBelief belief({.length = 3}, settings(true));
  feed(belief, 0, 60);
  const std::size_t bytes = belief.memory();
  feed(belief, 60, 300);
  EXPECT_EQ(belief.memory(), bytes);
}

}  // namespace
}  // namespace neuralts
