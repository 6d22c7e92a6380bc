// Actions that are sizes of one thing: doses, prices, bids. A context x, uniform in the unit cube, wants the dose w.(x - 1/2),
// w normal and secret; the arms are doses from -1.5 to 1.5, and one that misses pays less by the square of how far it does.
#include <algorithm>

#include "world/registry.hpp"
#include "world/synthetic.hpp"

namespace neuralts {

namespace {

constexpr double largest_dose = 1.5;

struct DoseSettings {
  std::size_t dim, arms;
  bool columns;  // the context and the dose; otherwise arms are blocks, and nobody says which is next to which
  Noise noise;
  std::size_t length() const { return columns ? dim + 1 : dim; }
  EnvironmentInfo info() const {
    return {.name = "doses", .shape = {length(), columns ? 1 : arms}, .max_arms = arms, .rounds = 1000};
  }
};

class DoseEpisode final : public SyntheticEpisode {
 public:
  DoseEpisode(const DoseSettings& settings, std::uint64_t seed)
      : SyntheticEpisode(seed, settings.noise),
        settings_(settings),
        doses_(settings.arms),
        weights_(settings.dim),
        x_(settings.dim),
        numbers_(settings.columns ? settings.arms * settings.length() : 0) {
    Stream stream = secret_stream();
    for (double& weight : weights_) weight = stream.normal();
    for (std::size_t arm = 0; arm < settings.arms; ++arm)
      doses_[arm] = largest_dose * (2 * static_cast<double>(arm) / static_cast<double>(settings.arms - 1) - 1);
    expected_.resize(settings.arms);
    contexts_ = settings.columns ? Contexts::per_arm(numbers_, settings.arms) : Contexts::disjoint(x_, settings.arms);
  }

  bool next() override {
    Stream stream = begin_round();
    double wanted = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      x_[i] = stream.uniform();
      wanted += weights_[i] * (x_[i] - 0.5);
    }
    for (std::size_t arm = 0; arm < settings_.arms; ++arm) {
      const double missed = doses_[arm] - wanted;
      expected_[arm] = -missed * missed;
      if (settings_.columns) *std::copy(x_.begin(), x_.end(), numbers_.data() + arm * settings_.length()) = doses_[arm];
    }
    return true;
  }

 private:
  DoseSettings settings_;
  std::vector<double> doses_, weights_, x_, numbers_;
};

}  // namespace

std::vector<EnvironmentEntry> dose_entries() {
  const auto make = [](const std::string&, const Settings& s, const std::string&) -> std::shared_ptr<const Environment> {
    return synthetic_world<DoseEpisode>(
        DoseSettings{s.count("dim"), s.count("arms"), s.is("form", "columns"), noise_of(s)});
  };
  return {{{"doses", "actions that are doses of one thing, of which every context wants its own",
            with_noise({{"dim", "6", "1 .. 100000", "numbers of the context"},
                        {"arms", "8", "2 .. 10000", "doses there are, from -1.5 to 1.5"},
                        {"form", "columns", "blocks | columns", "an action is a block of its own, or the context and the dose in a column"}},
                       "0.3")}, make}};
}

}  // namespace neuralts
