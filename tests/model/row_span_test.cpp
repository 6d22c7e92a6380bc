#include "model/row_span.hpp"

#include <gmock/gmock.h>

#include "model/trainer.hpp"

namespace neuralts {
namespace {

template <class T>
History<T> few_rounds(const Shape& shape, std::size_t rounds) {
  History<T> history(shape);
  Stream stream(3, Purpose::environment);
  std::vector<T> x(shape.length);
  for (std::size_t i = 0; i < rounds; ++i) {
    for (T& value : x) value = static_cast<T>(stream.normal() / 4);
    history.append(i * i % shape.blocks, std::span<const T>(x), static_cast<T>(stream.uniform()));
  }
  return history;
}

struct Variant {
  const char* name;
  std::size_t depth;
  bool biases;
  Optimiser optimiser;
  Anchor anchor;
  bool warm;
  double decay;
  bool weighted;
};

const Variant variants[] = {
    {"published", 2, false, Optimiser::descent, Anchor::initial, false, 0.5, false},
    {"released", 2, true, Optimiser::descent, Anchor::zero, true, 0.01, false},
    {"deep momentum", 4, true, Optimiser::momentum, Anchor::initial, true, 0.1, false},
    {"momentum to zero", 2, false, Optimiser::momentum, Anchor::zero, true, 0.3, true},
    {"no decay", 3, false, Optimiser::descent, Anchor::initial, true, 0, true},
};

// Parameters after two trainings on a growing history. A tolerance that is never met asks for the gradient of
// every parameter in every step, so the span is not taken: the plain twin.
template <class T>
std::vector<T> trained(const Variant& v, bool in_span) {
  const Shape input{40, 3};
  const NetworkShape shape{input, 12, v.depth, v.biases, 1.5};
  Network<T> network(shape, Initialisation::uniform, 7);
  TrainerSettings settings;
  settings.optimiser = v.optimiser;
  settings.anchor = v.anchor;
  settings.warm = v.warm;
  settings.decay = v.decay;
  settings.step = 0.01;
  settings.mean_loss = true;
  settings.iterations = 60;
  settings.tolerance = in_span ? 0 : 1e-300;
  Trainer<T> trainer(settings, network, 1);
  for (const std::size_t rounds : {5, 30}) {
    const History<T> history = few_rounds<T>(input, rounds);
    EXPECT_TRUE(span_pays(shape, history, settings.iterations));
    RoundWeights<T> weights;
    for (const auto& block : history.blocks())
      if (v.weighted) weights.emplace_back(block.rows(), T(0.5));
    trainer.train(network, history, weights);
  }
  return {network.theta().begin(), network.theta().end()};
}

template <class T>
class Span : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Span, Reals);

TYPED_TEST(Span, TrainsTheSameNetwork) {
  const double near = sizeof(TypeParam) == 4 ? 1e-5 : 1e-12;
  for (const auto& v : variants)
    EXPECT_THAT(trained<TypeParam>(v, true),
                testing::Pointwise(testing::DoubleNear(near), trained<TypeParam>(v, false)))
        << v.name;
}

TEST(Span, PaysForFewRoundsOfManyColumnsOnly) {
  const NetworkShape wide{{784, 10}, 100, 2, true, 1}, narrow{{22, 2}, 100, 2, true, 1};
  EXPECT_TRUE(span_pays(wide, few_rounds<float>(wide.input, 500), 100));
  EXPECT_FALSE(span_pays(narrow, few_rounds<float>(narrow.input, 500), 100));
  // The Gram matrix would cost more than the step.
  EXPECT_FALSE(span_pays(wide, few_rounds<float>(wide.input, 500), 1));
}

}  // namespace
}  // namespace neuralts
