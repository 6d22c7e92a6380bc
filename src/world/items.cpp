// Items for a user: an arm's context is u, what is known of the user, and v, what is known of the item, all standard normal
// and new every round. An item pays w.v and what the user gives for any: user (s.sin(2u) + u_1 u_2 / sqrt 2); w and s are
// secret, of length 1. No line tells what users give, and the choice does not depend on it.
#include <cmath>
#include <numeric>

#include "world/registry.hpp"
#include "world/synthetic.hpp"

namespace neuralts {

namespace {

struct ItemSettings {
  std::size_t dim, arms;
  double user;
  Noise noise;
  EnvironmentInfo info() const {
    return {.name = "items", .shape = {2 * dim, 1}, .max_arms = arms, .rounds = 1000};
  }
};

class ItemEpisode final : public SyntheticEpisode {
 public:
  ItemEpisode(const ItemSettings& settings, std::uint64_t seed)
      : SyntheticEpisode(seed, settings.noise),
        settings_(settings),
        of_item_(settings.dim),
        of_user_(settings.dim),
        user_(settings.dim),
        numbers_(settings.arms * 2 * settings.dim) {
    Stream stream = secret_stream();
    draw_on_sphere(stream, of_item_);
    draw_on_sphere(stream, of_user_);
    expected_.resize(settings.arms);
    contexts_ = Contexts::per_arm(numbers_, settings.arms);
  }

  bool next() override {
    Stream stream = begin_round();
    for (double& number : user_) number = stream.normal();
    const double by_user = settings_.user * pays_user();
    auto number = numbers_.begin();
    for (double& pays : expected_) {
      number = std::copy(user_.begin(), user_.end(), number);
      pays = by_user;
      for (const double weight : of_item_) pays += weight * (*number++ = stream.normal());
    }
    return true;
  }

 private:
  double pays_user() const {
    double sum = user_[0] * user_[1 % user_.size()] / std::sqrt(2.0);
    for (std::size_t i = 0; i < user_.size(); ++i) sum += of_user_[i] * std::sin(2 * user_[i]);
    return sum;
  }

  ItemSettings settings_;
  std::vector<double> of_item_, of_user_, user_, numbers_;
};

}  // namespace

std::vector<EnvironmentEntry> item_entries() {
  const auto make = [](const std::string&, const Settings& s, const std::string&) -> std::shared_ptr<const Environment> {
    return synthetic_world<ItemEpisode>(ItemSettings{s.count("dim"), s.count("arms"), s.number("user"), noise_of(s)});
  };
  return {{{"items", "items for a user, of whom more depends than of the item, and by no line",
            with_noise({{"dim", "5", "1 .. 100000", "numbers of the user, and of every item"},
                        {"arms", "10", "2 .. 10000", "items there are"},
                        {"user", "5", ">= 0", "times as much depends on the user as on the item"}}, "0.3")}, make}};
}

}  // namespace neuralts
