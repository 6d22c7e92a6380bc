// The wheel (Riquelme, Tucker, Snoek 2018): contexts uniform in the unit disk, five arms. Arm 0 always pays 1.2
// on average, the others 1.0, but beyond radius delta one of arms 1 to 4, told by the quadrant, pays 50. The
// nearer delta is to 1, the rarer the contexts that show it: a test of exploration.
#include <cmath>
#include <numbers>

#include "world/registry.hpp"
#include "world/synthetic.hpp"

namespace neuralts {

namespace {

constexpr std::size_t arms = 5;

struct WheelSettings {
  double delta, low, safe, high, noise;
  bool bias;
  std::size_t dim() const { return bias ? 3 : 2; }
  EnvironmentInfo info() const {
    std::vector<std::string> columns = {"x", "y"};
    if (bias) columns.push_back("one");
    return {.name = "wheel",
            .shape = {dim(), arms},
            .max_arms = arms,
            .rounds = 2000,
            .arm_labels = {"safe", "right top", "right bottom", "left top", "left bottom"},
            .column_names = columns};
  }
};

class WheelEpisode final : public SyntheticEpisode {
 public:
  WheelEpisode(const WheelSettings& settings, std::uint64_t seed)
      : SyntheticEpisode(seed, Noise{.scale = settings.noise}), settings_(settings) {
    expected_.resize(arms);
    contexts_ = Contexts::disjoint(std::span(x_).first(settings.dim()), arms);
  }

  bool next() override {
    Stream stream = begin_round();
    const double radius = std::sqrt(stream.uniform()), angle = 2 * std::numbers::pi * stream.uniform();
    x_[0] = radius * std::cos(angle);
    x_[1] = radius * std::sin(angle);
    expected_ = {settings_.safe, settings_.low, settings_.low, settings_.low, settings_.low};
    if (radius > settings_.delta) expected_[1 + 2 * (x_[0] < 0) + (x_[1] < 0)] = settings_.high;
    return true;
  }

 private:
  WheelSettings settings_;
  std::vector<double> x_{0, 0, 1};
};

std::shared_ptr<const Environment> make_wheel(const std::string&, const Settings& s, const std::string&) {
  return synthetic_world<WheelEpisode>(WheelSettings{s.number("delta"), s.number("low"), s.number("safe"),
                                                     s.number("high"), s.number("noise"), s.flag("bias")});
}

}  // namespace

std::vector<EnvironmentEntry> wheel_entries() {
  const std::vector<ParamInfo> params = {
      {"delta", "0.95", "0 .. 1", "beyond this radius one arm pays much more; nearer to 1: rarer, harder"},
      {"low", "1", "a number", "what arms 1 to 4 pay inside"},
      {"safe", "1.2", "a number", "what arm 0 pays everywhere"},
      {"high", "50", "a number", "what the quadrant's arm pays outside"},
      {"noise", "0.01", ">= 0", "standard deviation of the reward's noise"},
      {"bias", "true", "true | false",
       "a constant 1 behind the two coordinates: models without an intercept cannot see a radius otherwise"},
  };
  return {{{"wheel", "unit disk, five arms, a large reward beyond radius delta", params}, make_wheel}};
}

}  // namespace neuralts
