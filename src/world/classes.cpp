// Classes to be told from columns, as a bandit: the right class pays 1, every other 0. Two worlds of the kinds
// that data sets of people and words have: `nominal` (columns of words, a 0/1 column per word or the word's
// number) and `clusters` (numbers around a few centres per class). What a class looks like is secret and drawn
// from the seed.
#include <algorithm>
#include <cmath>

#include "world/registry.hpp"
#include "world/synthetic.hpp"

namespace neuralts {

namespace {

struct ClassSettings {
  std::string name;
  std::size_t columns, classes, values, rounds;
  double telling;  // nominal: share of the columns that tell a class; clusters: deviations between centres
  bool onehot;
  std::size_t length() const { return onehot ? columns * values : columns; }
  EnvironmentInfo info() const {
    return {.name = name, .shape = {length(), classes}, .max_arms = classes, .rounds = rounds};
  }
};

class ClassEpisode : public SyntheticEpisode {
 public:
  ClassEpisode(const ClassSettings& settings, std::uint64_t seed)
      : SyntheticEpisode(seed, Noise{}), settings_(settings), x_(settings.length()) {
    expected_.resize(settings.classes);
    contexts_ = Contexts::disjoint(x_, settings.classes);
  }

  bool next() override {
    Stream stream = begin_round();
    const std::size_t right = stream.below(settings_.classes);
    std::fill(expected_.begin(), expected_.end(), 0.0);
    expected_[right] = 1;
    show(right, stream);
    return true;
  }

 protected:
  virtual void show(std::size_t right, Stream& stream) = 0;

  ClassSettings settings_;
  std::vector<double> x_;
};

// A class has a favourite word in each column that tells; it says it in `sure` of the rounds, and otherwise any
// word, rare ones rarely.
class NominalEpisode final : public ClassEpisode {
 public:
  NominalEpisode(const ClassSettings& settings, std::uint64_t seed)
      : ClassEpisode(settings, seed), favourites_(settings.classes * settings.columns), common_(settings.columns) {
    Stream stream = secret_stream();
    for (std::size_t& word : common_) word = stream.below(settings.values);
    for (std::size_t k = 0; k < settings.classes; ++k)
      for (std::size_t i = 0; i < settings.columns; ++i)
        favourites_[k * settings.columns + i] = stream.uniform() < settings.telling
                                                    ? stream.below(settings.values)
                                                    : settings.values;
  }

 private:
  void show(std::size_t right, Stream& stream) override {
    constexpr double sure = 0.6, usual = 0.5;
    std::fill(x_.begin(), x_.end(), 0.0);
    for (std::size_t i = 0; i < settings_.columns; ++i) {
      const std::size_t favourite = favourites_[right * settings_.columns + i];
      const bool says_it = stream.uniform() < sure && favourite < settings_.values;
      const std::size_t other = stream.uniform() < usual ? common_[i] : stream.below(settings_.values);
      const std::size_t word = says_it ? favourite : other;
      if (settings_.onehot) x_[i * settings_.values + word] = 1;
      else x_[i] = static_cast<double>(word);
    }
  }

  std::vector<std::size_t> favourites_;  // classes x columns; `values`: none
  std::vector<std::size_t> common_;      // each column's usual word
};

// Two centres a class, in a unit that differs from column to column.
class ClusterEpisode final : public ClassEpisode {
 public:
  ClusterEpisode(const ClassSettings& settings, std::uint64_t seed)
      : ClassEpisode(settings, seed), centres_(2 * settings.classes * settings.columns), units_(settings.columns) {
    Stream stream = secret_stream();
    const double apart = settings.telling / std::sqrt(2.0 * static_cast<double>(settings.columns));
    for (double& value : centres_) value = apart * stream.normal();
    for (double& unit : units_) unit = std::exp(2 * stream.normal());
  }

 private:
  void show(std::size_t right, Stream& stream) override {
    const double* centre = centres_.data() + (2 * right + stream.below(2)) * settings_.columns;
    for (std::size_t i = 0; i < settings_.columns; ++i) x_[i] = units_[i] * (centre[i] + stream.normal());
  }

  std::vector<double> centres_, units_;
};

std::shared_ptr<const Environment> make_nominal(const std::string& name, const Settings& s, const std::string&) {
  return synthetic_world<NominalEpisode>(ClassSettings{name, s.count("columns"), s.count("classes"), s.count("values"),
                                                       3000, s.number("telling"), s.flag("onehot")});
}

std::shared_ptr<const Environment> make_clusters(const std::string& name, const Settings& s, const std::string&) {
  return synthetic_world<ClusterEpisode>(
      ClassSettings{name, s.count("columns"), s.count("classes"), 1, 300, s.number("apart"), false});
}

}  // namespace

std::vector<EnvironmentEntry> class_entries() {
  const ParamInfo classes{"classes", "3", "2 .. 10000", "how many there are: one is right and pays 1"};
  return {{{"nominal", "classes told by columns of words",
            {{"columns", "60", "1 .. 10000", "columns of words"},
             classes,
             {"values", "4", "2 .. 1000", "words of a column"},
             {"telling", "0.2", "0 .. 1", "share of the columns that tell a class from others"},
             {"onehot", "true", "true | false", "true: a 0/1 column per word; false: the word's number"}}},
           make_nominal},
          {{"clusters", "classes of two clusters each, few rounds, columns in units of their own",
            {{"columns", "8", "1 .. 10000", "length of a context"},
             classes,
             {"apart", "4", ">= 0", "distance between clusters in their standard deviations"}}},
           make_clusters}};
}

}  // namespace neuralts
