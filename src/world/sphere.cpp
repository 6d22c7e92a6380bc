// Contexts uniform on the unit sphere, one independent vector per arm, reward h(x) + noise. The three worlds of
// the neural bandit papers, h one of 10 (a.x)^2, x'A'A x, cos(3 a.x), and the linear one, h = a.x; a on the
// sphere and A normal are secret.
#include <cmath>

#include "world/registry.hpp"
#include "world/synthetic.hpp"

namespace neuralts {

namespace {

struct SphereSettings {
  std::string name;
  std::size_t dim, arms;
  Noise noise;
  EnvironmentInfo info() const { return {.name = name, .shape = {dim, 1}, .max_arms = arms, .rounds = 2000}; }
};

class SphereEpisode final : public SyntheticEpisode {
 public:
  SphereEpisode(const SphereSettings& settings, std::uint64_t seed)
      : SyntheticEpisode(seed, settings.noise),
        settings_(settings),
        secret_(settings.dim * (settings.name == "gram" ? settings.dim : 1)),
        numbers_(settings.arms * settings.dim) {
    Stream stream = secret_stream();
    if (settings.name == "gram")
      for (double& value : secret_) value = stream.normal();
    else
      draw_on_sphere(stream, secret_);
    expected_.resize(settings.arms);
    contexts_ = Contexts::per_arm(numbers_, settings.arms);
  }

  bool next() override {
    Stream stream = begin_round();
    for (std::size_t k = 0; k < settings_.arms; ++k) {
      const auto x = std::span(numbers_).subspan(k * settings_.dim, settings_.dim);
      draw_on_sphere(stream, x);
      expected_[k] = reward_function(x);
    }
    return true;
  }

 private:
  double project(std::span<const double> x, std::size_t row) const {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += secret_[row * x.size() + i] * x[i];
    return sum;
  }
  double reward_function(std::span<const double> x) const {
    if (settings_.name == "linear") return project(x, 0);
    if (settings_.name == "quadratic") return 10 * project(x, 0) * project(x, 0);
    if (settings_.name == "cosine") return std::cos(3 * project(x, 0));
    double sum = 0;
    for (std::size_t row = 0; row < x.size(); ++row) sum += project(x, row) * project(x, row);
    return sum;
  }

  SphereSettings settings_;
  std::vector<double> secret_, numbers_;
};

}  // namespace

std::vector<EnvironmentEntry> sphere_entries() {
  const auto params = [](const std::string& noise) {
    return with_noise({{"dim", "20", "1 .. 100000", "length of a context"},
                       {"arms", "4", "1 .. 100000", "arms a round offers"}}, noise);
  };
  const auto make = [](const std::string& name, const Settings& s,
                       const std::string&) -> std::shared_ptr<const Environment> {
    return synthetic_world<SphereEpisode>(SphereSettings{name, s.count("dim"), s.count("arms"), noise_of(s)});
  };
  return {{{"quadratic", "unit sphere, reward 10 (a.x)^2", params("1")}, make},
          {{"gram", "unit sphere, reward x'A'A x", params("1")}, make},
          {{"cosine", "unit sphere, reward cos(3 a.x)", params("1")}, make},
          {{"linear", "unit sphere, reward a.x", params("0.1")}, make}};
}

}  // namespace neuralts
