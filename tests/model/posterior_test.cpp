// Every form of the posterior against the definition: sigma^2 = lambda g'U^-1 g / c with U inverted outright.
#include "model/posterior.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "model/exact_stages.hpp"
#include "model/random_network.hpp"

namespace neuralts {
namespace {

struct Case {
  NetworkShape shape;
  double lambda = 1;
  std::size_t rounds = 30, arms = 4;
};

class BruteForce {
 public:
  BruteForce(const PosteriorSettings& settings)
      : settings_(settings), u_(Eigen::MatrixXd::Identity(p(), p()) * settings.lambda) {}

  void grow(const Network<double>& network, const RandomContexts& contexts) {
    for (const auto& row : explicit_gradients(network, contexts))
      u_ += vector(row) * vector(row).transpose() / settings_.normaliser;
  }
  double variance(const std::vector<double>& g, bool diagonal) const {
    const Eigen::VectorXd v = vector(g);
    const double form = diagonal ? v.cwiseAbs2().cwiseQuotient(u_.diagonal()).sum() : v.dot(u_.llt().solve(v));
    return settings_.lambda * form / settings_.normaliser;
  }
  double log_det(bool diagonal) const {
    if (diagonal) return u_.diagonal().array().log().sum();
    return 2 * Eigen::MatrixXd(u_.llt().matrixL()).diagonal().array().log().sum();
  }

 private:
  Eigen::Index p() const { return static_cast<Eigen::Index>(settings_.shape.parameters()); }
  static Eigen::VectorXd vector(const std::vector<double>& g) {
    return Eigen::VectorXd::Map(g.data(), static_cast<Eigen::Index>(g.size()));
  }
  PosteriorSettings settings_;
  Eigen::MatrixXd u_;
};

void expect_same(const Posterior<double>& posterior, const BruteForce& brute, const Network<double>& network,
                 const RandomContexts& contexts, bool diagonal, double tolerance) {
  const auto owned = tangent_features(network, contexts);
  const auto rows = explicit_gradients(network, contexts);
  std::vector<double> variance(rows.size());
  Scratch scratch;
  posterior.variance(owned.features, scratch, variance);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double expected = brute.variance(rows[i], diagonal);
    EXPECT_NEAR(variance[i], expected, tolerance * std::max(expected, 1e-6 * brute.variance(rows[i], true)))
        << "context " << i;
  }
}

// Grows by single rounds and by batches, and compares after each.
void follow(Posterior<double>& posterior, const Case& c, bool diagonal, double tolerance) {
  const PosteriorSettings settings{
      .shape = c.shape, .lambda = c.lambda, .normaliser = static_cast<double>(c.shape.units)};
  Stream stream(17, Purpose::theory);
  const Network<double> network = random_network(c.shape, stream);
  BruteForce brute(settings);
  for (std::size_t done = 0; done < c.rounds;) {
    const std::size_t n = 1 + done % 3;
    const RandomContexts fresh = random_contexts(c.shape.input, n, stream);
    const auto owned = tangent_features(network, fresh);
    posterior.grow(owned.features);
    brute.grow(network, fresh);
    done += n;
    expect_same(posterior, brute, network, random_contexts(c.shape.input, c.arms, stream), diagonal, tolerance);
    expect_same(posterior, brute, network, fresh, diagonal, tolerance);
    EXPECT_NEAR(posterior.log_det(), brute.log_det(diagonal), 1e-8 * std::abs(brute.log_det(diagonal)) + 1e-8);
  }
}

NetworkShape small(std::size_t d, std::size_t blocks, std::size_t m, std::size_t depth, bool biases) {
  return {.input = {d, blocks},
          .units = m,
          .depth = depth,
          .biases = biases,
          .scale = std::sqrt(static_cast<double>(m))};
}

std::vector<Case> cases() {
  return {{small(3, 1, 4, 2, false), 1, 60, 1},
          {small(2, 3, 4, 2, true), 0.1, 80, 3},
          {small(3, 2, 4, 3, true), 0.5, 60, 2},
          {small(4, 1, 6, 4, false), 1e-3, 40, 50},
          {small(1, 5, 2, 2, true), 2, 50, 5}};
}

PosteriorSettings settings_of(const Case& c) {
  return {.shape = c.shape, .lambda = c.lambda, .normaliser = static_cast<double>(c.shape.units)};
}

TEST(Posterior, ExactEqualsTheInverseThroughAllItsForms) {
  for (const auto& c : cases()) {
    const auto posterior = make_exact_posterior<double>(settings_of(c), false);
    follow(*posterior, c, false, 1e-7);
  }
}

TEST(Posterior, PrimalFromTheFirstRoundEqualsTheInverse) {
  for (const auto& c : cases()) {
    const auto posterior = make_primal_posterior<double, double>(settings_of(c), FeatureStore<double>(c.shape));
    follow(*posterior, c, false, 1e-7);
  }
}

TEST(Posterior, DualEqualsTheInverse) {
  for (const auto& c : cases()) {
    DualPosterior<double, double> posterior(settings_of(c));
    follow(posterior, c, false, 1e-7);
  }
}

TEST(Posterior, DiagonalEqualsTheInverseOfTheDiagonal) {
  for (const auto& c : cases()) {
    const auto posterior = make_diagonal_posterior<double>(settings_of(c));
    follow(*posterior, c, true, 1e-9);
  }
}

// The definition of the cheap form: U without what the last layer has in common with the others, and their
// diagonal only.
TEST(Posterior, LastLayerEqualsTheInverseOfThatPartOfU) {
  for (const auto& c : cases()) {
    const PosteriorSettings settings = settings_of(c);
    Stream stream(19, Purpose::theory);
    const Network<double> network = random_network(c.shape, stream);
    const auto posterior = make_last_layer_posterior<double>(settings);
    const RandomContexts past = random_contexts(c.shape.input, 200, stream),
                         others = random_contexts(c.shape.input, 40, stream);
    const std::size_t p = c.shape.parameters(), last = c.shape.weights(c.shape.depth);
    Eigen::MatrixXd u = Eigen::MatrixXd::Identity(Eigen::Index(p), Eigen::Index(p)) * c.lambda;
    for (const auto& row : explicit_gradients(network, past))
      for (std::size_t i = 0; i < p; ++i)
        for (std::size_t j = 0; j < p; ++j)
          if (i == j || (i >= last && j >= last))
            u(Eigen::Index(i), Eigen::Index(j)) += row[i] * row[j] / settings.normaliser;
    posterior->grow(tangent_features(network, past).features);
    std::vector<double> variance(40);
    Scratch scratch;
    posterior->variance(tangent_features(network, others).features, scratch, variance);
    const auto rows = explicit_gradients(network, others);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Eigen::VectorXd g = Eigen::VectorXd::Map(rows[i].data(), Eigen::Index(p));
      const double expected = c.lambda * g.dot(u.llt().solve(g)) / settings.normaliser;
      EXPECT_NEAR(variance[i], expected, 1e-8 * expected);
    }
    EXPECT_NEAR(posterior->log_det(), 2 * Eigen::MatrixXd(u.llt().matrixL()).diagonal().array().log().sum(), 1e-7);
  }
}

// Few arms stay exact, many turn to the cheap form, whatever the stage; said in a note once it may be met; kept
// by save and load.
TEST(Posterior, WorkBoundsADecisionAndNotTheOthers) {
  for (const std::size_t blocks : {1u, 3u}) {
    const NetworkShape shape = small(3, blocks, 4, 2, true);
    PosteriorSettings settings{.shape = shape, .lambda = 0.5, .normaliser = 4, .work = 400};
    Stream stream(37, Purpose::theory);
    const Network<double> network = random_network(shape, stream);
    const auto bounded = make_exact_posterior<double>(settings, true),
               loaded = make_exact_posterior<double>(settings, true);
    const auto exact = make_exact_posterior<double>(settings, false),
               cheap = make_last_layer_posterior<double>(settings);
    for (int round = 0; round < 60; ++round) {
      const RandomContexts one = random_contexts(shape.input, 1, stream);
      const auto owned = tangent_features(network, one);
      for (Posterior<double>* posterior : {bounded.get(), exact.get(), cheap.get()})
        posterior->grow(owned.features);
    }
    Writer out;
    bounded->save(out);
    Reader in(out.bytes(), "test");
    loaded->load(in);
    EXPECT_TRUE(in.at_end());
    const RandomContexts others = random_contexts(shape.input, 30, stream);
    const auto owned = tangent_features(network, others);
    const auto widths = [&](const Posterior<double>& posterior) {
      std::vector<double> all(30);
      Scratch scratch;
      posterior.variance(owned.features, scratch, all);
      return all;
    };
    EXPECT_EQ(widths(bounded->form_for(1)), widths(*exact));
    EXPECT_EQ(&exact->form_for(1000), exact.get());
    const auto many = widths(bounded->form_for(30)), expected = widths(*cheap);
    for (std::size_t i = 0; i < many.size(); ++i) EXPECT_NEAR(many[i], expected[i], 1e-9 * expected[i]);
    EXPECT_EQ(widths(loaded->form_for(30)), many);
    EXPECT_NE(bounded->note().find("`work`"), std::string::npos);
    EXPECT_EQ(exact->note(), "");
  }
}

// 2,000 rounds, small lambda, contexts from a handful that repeat exactly, a zero context among them: the
// factor that grew by rows equals one computed afresh from the whole matrix.
TEST(Posterior, TwoThousandRoundsOfRepeatsStayExact) {
  for (const double lambda : {1.0, 1e-3, 1e-5}) {
    const NetworkShape shape = small(4, 1, 8, 2, false);
    const PosteriorSettings settings{.shape = shape, .lambda = lambda, .normaliser = 8};
    Stream stream(23, Purpose::theory);
    const Network<double> network = random_network(shape, stream);
    RandomContexts few = random_contexts(shape.input, 10, stream);
    std::fill_n(few.x.begin(), shape.input.length, 0.0);
    const auto owned = tangent_features(network, few);
    DualPosterior<double, double> dual(settings);
    const auto exact = make_exact_posterior<double>(settings, false);
    BruteForce brute(settings);
    for (int round = 0; round < 200; ++round) {
      dual.grow(owned.features);
      exact->grow(owned.features);
      brute.grow(network, few);
    }
    const RandomContexts others = random_contexts(shape.input, 5, stream);
    for (const Posterior<double>* posterior :
         {static_cast<const Posterior<double>*>(&dual), static_cast<const Posterior<double>*>(exact.get())}) {
      expect_same(*posterior, brute, network, few, false, 1e-4);
      expect_same(*posterior, brute, network, others, false, 1e-4);
    }
  }
}

TEST(Posterior, BeyondItsBudgetItSaysSoStaysBoundedAndIsNeverNarrower) {
  const NetworkShape shape = small(40, 6, 20, 2, true);  // primal form: 6 blocks of 800: 15 MiB, above the budget
  const PosteriorSettings settings{.shape = shape, .lambda = 0.5, .normaliser = 20, .budget = std::size_t{1} << 20};
  Stream stream(29, Purpose::theory);
  const Network<double> network = random_network(shape, stream);
  const auto bounded = make_exact_posterior<double>(settings, true),
             exact = make_exact_posterior<double>(settings, false);
  std::size_t memory_at_switch = 0;
  for (int round = 0; round < 900; ++round) {
    const RandomContexts one = random_contexts(shape.input, 1, stream);
    const auto owned = tangent_features(network, one);
    bounded->grow(owned.features);
    exact->grow(owned.features);
    if (!bounded->note().empty() && memory_at_switch == 0) memory_at_switch = bounded->memory();
  }
  ASSERT_NE(bounded->note().find("budget of 1 MiB"), std::string::npos);
  EXPECT_EQ(exact->note(), "");
  EXPECT_LE(bounded->memory(), settings.budget);
  EXPECT_EQ(bounded->memory(), memory_at_switch);
  const RandomContexts others = random_contexts(shape.input, 20, stream);
  const auto owned = tangent_features(network, others);
  std::vector<double> wide(20), narrow(20);
  Scratch scratch;
  bounded->variance(owned.features, scratch, wide);
  exact->variance(owned.features, scratch, narrow);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_GE(wide[i], narrow[i] * (1 - 1e-9));
    EXPECT_LE(wide[i], tangent_square(shape, owned.features, i) / settings.normaliser);
  }
}

// Every form: save, load into a fresh posterior, continue: bit for bit what continuing gives.
TEST(Posterior, LoadingContinuesBitForBit) {
  const NetworkShape shape = small(2, 2, 4, 2, true);
  for (const bool diagonal : {true, false})
    for (const std::size_t rounds : {3, 40, 75}) {
      const PosteriorSettings settings{.shape = shape, .lambda = 0.3, .normaliser = 4};
      const auto make = [&] {
        return diagonal ? make_diagonal_posterior<double>(settings)
                        : make_exact_posterior<double>(settings, true);
      };
      Stream stream(31, Purpose::theory);
      const Network<double> network = random_network(shape, stream);
      const auto posterior = make(), copy = make();
      for (std::size_t round = 0; round < rounds; ++round) {
        const RandomContexts one = random_contexts(shape.input, 1, stream);
        posterior->grow(tangent_features(network, one).features);
      }
      Writer out;
      posterior->save(out);
      Reader in(out.bytes(), "test");
      copy->load(in);
      EXPECT_TRUE(in.at_end());
      const RandomContexts more = random_contexts(shape.input, 40, stream);
      const auto owned = tangent_features(network, more);
      posterior->grow(owned.features);
      copy->grow(owned.features);
      std::vector<double> a(40), b(40);
      Scratch scratch;
      posterior->variance(owned.features, scratch, a);
      copy->variance(owned.features, scratch, b);
      EXPECT_EQ(a, b);
      EXPECT_EQ(posterior->log_det(), copy->log_det());
    }
}

// Beyond its budget, too: what was saved behind the switch continues alike.
TEST(Posterior, ABoundedOneContinuesBitForBit) {
  const NetworkShape shape = small(40, 6, 20, 2, true);
  const PosteriorSettings settings{.shape = shape, .lambda = 0.5, .normaliser = 20, .budget = std::size_t{1} << 18};
  Stream stream(29, Purpose::theory);
  const Network<double> network = random_network(shape, stream);
  const auto posterior = make_exact_posterior<double>(settings, true),
             copy = make_exact_posterior<double>(settings, true);
  for (int round = 0; round < 400; ++round)
    posterior->grow(tangent_features(network, random_contexts(shape.input, 1, stream)).features);
  ASSERT_NE(posterior->note(), "") << "the budget is met";
  Writer out;
  posterior->save(out);
  Reader in(out.bytes(), "test");
  copy->load(in);
  EXPECT_TRUE(in.at_end());
  EXPECT_EQ(copy->note(), posterior->note());
  const RandomContexts more = random_contexts(shape.input, 30, stream);
  const auto owned = tangent_features(network, more);
  std::vector<double> a(30), b(30);
  Scratch scratch;
  for (int again = 0; again < 2; ++again) {
    posterior->variance(owned.features, scratch, a);
    copy->variance(owned.features, scratch, b);
    EXPECT_EQ(a, b);
    posterior->grow(owned.features);
    copy->grow(owned.features);
  }
  EXPECT_EQ(posterior->log_det(), copy->log_det());
}

// Half a million rounds of the same ten contexts, a prior so large that a round is lost on it in float32 (2^-24
// of 3e5 is 0.02, more than most terms): without compensation the sums would not grow at all. The relative
// error of a compensated sum is a few units of 2^-24.
TEST(Posterior, DiagonalSumsGrowHoweverLargeTheyAre) {
  const NetworkShape shape = small(3, 1, 4, 2, true);
  const PosteriorSettings settings{.shape = shape, .lambda = 3e5, .normaliser = 400};
  Stream stream(41, Purpose::theory);
  const Network<double> network = random_network(shape, stream);
  const RandomContexts ten = random_contexts(shape.input, 10, stream);
  const auto owned = tangent_features(network, ten);
  const auto narrow = [](const auto& list) { return std::vector<float>(list.begin(), list.end()); };
  const std::size_t layers = 10 * shape.hidden() * shape.units;
  const auto x = narrow(std::span(owned.features.batch.x, 10 * shape.input.length));
  const auto inputs = narrow(std::span(owned.features.inputs, layers)),
             signals = narrow(std::span(owned.features.signals, layers));
  const Features<float> same{
      {10, x.data(), shape.input.length, owned.features.batch.blocks}, inputs.data(), signals.data()};
  const auto floats = make_diagonal_posterior<float>(settings);
  const auto doubles = make_diagonal_posterior<double>(settings);
  for (int i = 0; i < 50'000; ++i) {
    floats->grow(same);
    doubles->grow(owned.features);
  }
  std::vector<double> a(10), b(10);
  Scratch scratch;
  floats->variance(same, scratch, a);
  doubles->variance(owned.features, scratch, b);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(a[i], b[i], 1e-5 * b[i]);
  EXPECT_LT(b[0], 0.999 * tangent_square(shape, owned.features, 0) / settings.normaliser);  // and they did grow
}

// The arrow's inverse in float32 after 100,000 rounds, 780 of its foldings, each of which rounds every number a
// few times: the relative error stays below 780 times ten units of 2^-24.
TEST(Posterior, ArrowsDoNotDrift) {
  const NetworkShape shape = small(2, 2, 4, 2, true);
  const PosteriorSettings settings{.shape = shape, .lambda = 0.3, .normaliser = 4};
  Stream stream(43, Purpose::theory);
  const Network<double> network = random_network(shape, stream);
  const auto wide = make_primal_posterior<double, double>(settings, FeatureStore<double>(shape));
  const auto narrow = make_exact_posterior<float>(settings, false);
  std::vector<float> x, inputs, signals;
  const auto in_float = [&](const Features<double>& features) {
    const std::size_t n = features.batch.n, layers = n * shape.hidden() * shape.units;
    x.assign(features.batch.x, features.batch.x + n * shape.input.length);
    inputs.assign(features.inputs, features.inputs + layers);
    signals.assign(features.signals, features.signals + layers);
    return Features<float>{{n, x.data(), shape.input.length, features.batch.blocks}, inputs.data(), signals.data()};
  };
  for (int i = 0; i < 1000; ++i) {
    const RandomContexts some = random_contexts(shape.input, 100, stream);
    const auto owned = tangent_features(network, some);
    narrow->grow(in_float(owned.features));
    wide->grow(owned.features);
  }
  const RandomContexts others = random_contexts(shape.input, 20, stream);
  const auto owned = tangent_features(network, others);
  std::vector<double> a(20), b(20);
  Scratch scratch;
  narrow->variance(in_float(owned.features), scratch, a);
  wide->variance(owned.features, scratch, b);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(a[i], b[i], 780 * 10 * 6e-8 * b[i] + 1e-12);
}

}  // namespace
}  // namespace neuralts
