// Worlds of a few actions on one context x, uniform in the unit cube. What an action pays on average is secret
// and drawn from the seed:
// `actions`: linear in x, without noise; an action is a block of its own, or columns (x and a 1 in the action's
// place). `clicks`: 0 or 1, with a probability that depends on x.
// `plain`: 0 or 1, with a probability that does not.
// `segments`: 0 or 1; the context says which of `dim` segments it is, 1 in its column, and each has probabilities of
// its own. With one segment the context is always 1: a bandit without contexts.
// `codes`: 0 or 1; a column holds the number of one of twelve kinds, which are in no order, and each adds to the logarithm
// of the odds; of a share of the numbers nobody knows what they are, which -999 says, and they add nothing.
// `risky`: the first action always pays the same; the second is better on average but often pays nothing, the
// others are worse. Whoever believes the first rewards stays with the sure one.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "world/registry.hpp"
#include "world/synthetic.hpp"

namespace neuralts {

namespace {

struct ActionSettings {
  std::string name;
  std::size_t dim, arms, rounds;
  double odds;     // clicks, plain, segments, codes: logarithm of a typical action's
  double unknown;  // codes: share of the numbers
  bool columns;    // actions told by columns, not by blocks
  static constexpr std::size_t kinds = 12;
  std::size_t length() const { return columns ? dim + arms : dim; }
  std::size_t weights_of_an_action() const { return (name == "codes" ? dim * kinds : dim) + 1; }
  EnvironmentInfo info() const {
    return {.name = name, .shape = {length(), columns ? 1 : arms}, .max_arms = arms, .rounds = rounds};
  }
};

constexpr double not_known = -999;

class ActionEpisode final : public SyntheticEpisode {
 public:
  ActionEpisode(const ActionSettings& settings, std::uint64_t seed)
      : SyntheticEpisode(seed, Noise{}),
        settings_(settings),
        seed_(seed),
        weights_(settings.arms * settings.weights_of_an_action()),
        x_(settings.dim),
        numbers_(settings.columns ? settings.arms * settings.length() : 0) {
    Stream stream = secret_stream();
    for (double& weight : weights_) weight = stream.normal();
    expected_.resize(settings.arms);
    contexts_ = settings.columns ? Contexts::per_arm(numbers_, settings.arms)
                                 : Contexts::disjoint(x_, settings.arms);
  }

  bool next() override {
    Stream stream = begin_round();
    if (settings_.name == "segments") {
      std::fill(x_.begin(), x_.end(), 0.0);
      x_[stream.below(settings_.dim)] = 1;
    } else if (settings_.name == "codes") {
      for (double& value : x_) {
        value = static_cast<double>(stream.below(ActionSettings::kinds));
        if (stream.uniform() < settings_.unknown) value = not_known;
      }
    } else {
      for (double& value : x_) value = stream.uniform();
    }
    for (std::size_t k = 0; k < settings_.arms; ++k) expected_[k] = pays(k);
    for (std::size_t k = 0; settings_.columns && k < settings_.arms; ++k) {
      double* const row = numbers_.data() + k * settings_.length();
      std::fill_n(std::copy(x_.begin(), x_.end(), row), settings_.arms, 0.0);
      row[settings_.dim + k] = 1;
    }
    return true;
  }

  std::optional<double> reward(std::size_t arm) override {
    if (settings_.name == "actions" || (settings_.name == "risky" && arm == 0)) return expected_[arm];
    Stream coin(seed_, Purpose::environment, (2 * round() + 1) | (static_cast<std::uint64_t>(arm) << 40));
    return coin.uniform() < expected_[arm] ? 1.0 : 0.0;
  }

 private:
  double pays(std::size_t arm) const {
    const double* const w = weights_.data() + arm * settings_.weights_of_an_action();
    if (settings_.name == "plain") return probability(w[settings_.dim] + settings_.odds);
    if (settings_.name == "risky") return arm == 0 ? 0.4 : arm == 1 ? 0.55 : 0.25;
    if (settings_.name == "segments")
      return probability(std::inner_product(x_.begin(), x_.end(), w, 0.0) + settings_.odds);
    if (settings_.name == "codes") return probability(of_kinds(w) + settings_.odds);
    double sum = 0;
    for (std::size_t i = 0; i < settings_.dim; ++i) sum += w[i] * (x_[i] - 0.5);
    return settings_.name == "clicks" ? probability(2 * sum + w[settings_.dim] + settings_.odds)
                                      : 0.5 + 0.2 * (sum + 0.3 * w[settings_.dim]);
  }
  double of_kinds(const double* w) const {
    double sum = 0;
    for (std::size_t i = 0; i < settings_.dim; ++i)
      if (x_[i] != not_known) sum += w[i * ActionSettings::kinds + static_cast<std::size_t>(x_[i])];
    return sum;
  }
  static double probability(double latent) { return 1 / (1 + std::exp(-latent)); }

  ActionSettings settings_;
  std::uint64_t seed_;
  std::vector<double> weights_, x_, numbers_;  // weights: a row and a constant per action
};

double odds_of(const std::string& name, const Settings& s) {
  return name == "actions" || name == "risky" ? 0 : s.number("odds");
}

template <std::size_t rounds>
std::shared_ptr<const Environment> make(const std::string& name, const Settings& s, const std::string&) {
  const double unknown = name == "codes" ? s.number("unknown") : 0;
  return synthetic_world<ActionEpisode>(ActionSettings{name, s.count("dim"), s.count("arms"), rounds,
                                                       odds_of(name, s), unknown, s.is("form", "columns")});
}

}  // namespace

std::vector<EnvironmentEntry> action_entries() {
  const auto params = [](const std::string& dim, const std::string& arms,
                         const std::string& form) -> std::vector<ParamInfo> {
    return {{"dim", dim, "1 .. 100000", "numbers of the context (of segments: how many there are)"},
            {"arms", arms, "2 .. 10000", "actions there are"},
            {"form", form, "blocks | columns", "an action is a block of its own, or the context and a 1 in the action's column"}};
  };
  const auto with_odds = [](std::vector<ParamInfo> others, const std::string& odds) {
    others.push_back({"odds", odds, "a number",
                      "logarithm of the odds that a typical action is clicked; -2: 12 %, -4: 2 %"});
    return others;
  };
  const auto with_unknown = [](std::vector<ParamInfo> others) {
    others.push_back({"unknown", "0", "0 .. 1", "share of the numbers that are -999: nobody knows"});
    return others;
  };
  return {{{"actions", "what an action pays is linear in the context, without noise", params("5", "4", "columns")}, make<800>},
          {{"clicks", "actions that are clicked or not, depending on the context",
            with_odds(params("10", "5", "blocks"), "-2")}, make<2000>},
          {{"plain", "actions that are clicked or not, whatever the context",
            with_odds(params("2", "10", "blocks"), "-1")}, make<2000>},
          {{"segments", "actions that are clicked or not, by which of `dim` segments the context is",
            with_odds(params("8", "4", "blocks"), "-1")}, make<2000>},
          {{"codes", "actions that are clicked or not, by what kind each column of the context names, twelve in no order",
            with_unknown(with_odds(params("3", "4", "blocks"), "-1"))}, make<2000>},
          {{"risky", "a sure action, and a better one that often pays nothing", params("2", "4", "blocks")}, make<1000>}};
}

}  // namespace neuralts
