// Arms that do not stay as they are: one context for all arms, a secret vector per arm, reward theta_k.x + noise.
// `drifting`: every theta_k turns in a plane of its own, so that the best arm moves. `sleeping`: a round offers
// a random subset of the arms. `appearing`: arm k is there from round k `appear` on.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "world/registry.hpp"
#include "world/synthetic.hpp"

namespace neuralts {

namespace {

struct MovingSettings {
  std::string name;
  std::size_t dim, arms;
  Noise noise;
  double period, awake;
  std::size_t appear;
  EnvironmentInfo info() const { return {.name = name, .shape = {dim, arms}, .max_arms = arms, .rounds = 2000}; }
};

class MovingEpisode final : public SyntheticEpisode {
 public:
  MovingEpisode(const MovingSettings& settings, std::uint64_t seed)
      : SyntheticEpisode(seed, settings.noise),
        settings_(settings),
        from_(settings.arms * settings.dim),
        to_(from_.size()),
        x_(settings.dim) {
    Stream stream = secret_stream();
    for (std::size_t k = 0; k < settings.arms; ++k) {
      draw_on_sphere(stream, part(from_, k));
      draw_on_sphere(stream, part(to_, k));
    }
  }

  bool next() override {
    Stream stream = begin_round();
    draw_on_sphere(stream, x_);
    choose_awake(stream);
    contexts_ = Contexts::disjoint(x_, awake_);
    expected_.clear();
    for (const std::size_t arm : awake_) expected_.push_back(expected_reward(arm));
    return true;
  }

 private:
  std::span<double> part(std::vector<double>& all, std::size_t arm) const {
    return std::span(all).subspan(arm * settings_.dim, settings_.dim);
  }

  // Every arm on its own, and one for certain: a round without arms is none.
  void choose_awake(Stream& stream) {
    const std::size_t late = settings_.appear == 0
                                 ? settings_.arms
                                 : 1 + static_cast<std::size_t>(round() - 1) / settings_.appear;
    const std::size_t there = std::min(settings_.arms, late), certain = stream.below(there);
    awake_.clear();
    for (std::size_t k = 0; k < there; ++k)
      if (stream.uniform() < settings_.awake || k == certain) awake_.push_back(static_cast<std::uint32_t>(k));
  }

  double expected_reward(std::size_t arm) {
    const double angle = settings_.period == 0
                             ? 0
                             : 2 * std::numbers::pi * static_cast<double>(round() - 1) / settings_.period;
    double sum = 0;
    for (std::size_t i = 0; i < x_.size(); ++i)
      sum += (std::cos(angle) * part(from_, arm)[i] + std::sin(angle) * part(to_, arm)[i]) * x_[i];
    return sum;
  }

  MovingSettings settings_;
  std::vector<double> from_, to_, x_;
  std::vector<std::uint32_t> awake_;
};

std::shared_ptr<const Environment> make_moving(const std::string& name, const Settings& s, const std::string&) {
  return synthetic_world<MovingEpisode>(MovingSettings{name, s.count("dim"), s.count("arms"), noise_of(s),
                                                       s.number("period"), s.number("awake"), s.count("appear")});
}

}  // namespace

std::vector<EnvironmentEntry> moving_entries() {
  const auto params = [](const std::string& period, const std::string& awake,
                         const std::string& appear) {
    return with_noise(
        {{"dim", "10", "1 .. 100000", "length of the context"},
         {"arms", "5", "1 .. 100000", "arms there are"},
         {"period", period, ">= 0", "rounds until every arm is again what it was; 0: arms do not change"},
         {"awake", awake, "0 .. 1", "probability that a round offers an arm; at least one is offered"},
         {"appear", appear, "0 .. 1000000000", "rounds from one arm's first appearance to the next one's; 0: all are there from the first"}},
        "0.1");
  };
  return {{{"drifting", "linear arms that turn: the best one moves", params("4000", "1", "0")}, make_moving},
          {{"sleeping", "linear arms that come and go", params("0", "0.5", "0")}, make_moving},
          {{"appearing", "linear arms that appear one after the other", params("0", "1", "400")}, make_moving}};
}

}  // namespace neuralts
