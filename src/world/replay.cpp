// A log as a world, by rejection (Li, Chu, Langford, Wang 2011): a round counts when the policy chooses the arm
// that was played. Without bias when arms were played uniformly; `thin` makes any log uniform by dropping
// likely choices more often.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "log/logged.hpp"
#include "world/registry.hpp"
#include "neuralts/random.hpp"
#include "neuralts/world_facts.hpp"

namespace neuralts {

namespace {

struct Replay {
  Log log;
  bool shuffle, thin;
  double smallest_probability = 1;
};

class ReplayEpisode final : public Episode {
 public:
  ReplayEpisode(std::shared_ptr<const Replay> replay, std::uint64_t seed)
      : replay_(std::move(replay)), seed_(seed_of_replay(seed)), order_(replay_->log.events().size()) {
    std::iota(order_.begin(), order_.end(), 0);
    if (replay_->shuffle) Stream(seed_, Purpose::data_order).shuffle(order_);
  }

  bool next() override {
    if (at_ == order_.size()) return false;
    const Log& log = replay_->log;
    event_ = &log.events()[order_[at_++]];
    const std::size_t rows = event_->shared ? 1 : event_->arms;
    numbers_.resize(rows * log.shape.length);
    for (std::size_t i = 0; i < rows; ++i)
      log.row(event_->first_row + i, std::span(numbers_).subspan(i * log.shape.length, log.shape.length));
    contexts_ = event_->shared ? Contexts::disjoint(numbers_, log.blocks(*event_))
                               : Contexts::per_arm(numbers_, event_->arms);
    return true;
  }
  const Contexts& contexts() const override { return contexts_; }
  std::span<const double> expected() const override { return {}; }
  std::optional<double> reward(std::size_t arm) override {
    if (arm != event_->arm || !kept()) return std::nullopt;
    return event_->reward;
  }

 private:
  bool kept() const {
    if (!replay_->thin) return true;
    return Stream(seed_, Purpose::environment, at_).uniform() * event_->probability < replay_->smallest_probability;
  }

  std::shared_ptr<const Replay> replay_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> order_;
  std::size_t at_ = 0;
  const LoggedEvent* event_ = nullptr;
  std::vector<double> numbers_;
  Contexts contexts_;
};

EnvironmentInfo describe(const std::string& file, const Log& log) {
  EnvironmentInfo info{.name = "log:" + file,
                       .shape = log.shape,
                       .max_arms = 0,
                       .rounds = log.events().size(),
                       .max_rounds = log.events().size(),
                       .arm_labels = log.arm_labels,
                       .column_names = log.column_names};
  for (const auto& event : log.events()) info.max_arms = std::max<std::size_t>(info.max_arms, event.arms);
  return info;
}

bool is_uniform(const Log& log) {
  return std::all_of(log.events().begin(), log.events().end(), [](const LoggedEvent& event) {
    return std::abs(event.probability * static_cast<double>(event.arms) - 1) < 1e-6;
  });
}

/// What rejection makes of the log: whether its answer is biased, or how few of its events are left to be matched.
std::string warning(const Replay& replay) {
  if (replay.thin) {
    double left = 0, all = static_cast<double>(replay.log.events().size());
    for (const auto& event : replay.log.events()) left += replay.smallest_probability / event.probability;
    return fmt::format(
        "thinning leaves about {:.0f} of {:.0f} events ({:.1f} %), and a policy is counted where it agrees "
        "with one of them: {}",
        left, all, 100 * left / all, "for an answer from all events use neuralts evaluate");
  }
  if (is_uniform(replay.log)) return "";
  return "the log's arms were not played uniformly: the mean reward of the rounds that count is biased "
         "towards its own choices; "
         "give thin=true, or use neuralts evaluate";
}

class ReplayWorld final : public Environment, public WorldFacts {
 public:
  ReplayWorld(const std::string& file, Replay replay) : Environment(describe(file, replay.log)) {
    for (const auto& event : replay.log.events())
      replay.smallest_probability = std::min(replay.smallest_probability, event.probability);
    if (auto text = warning(replay); !text.empty()) notes_.push_back(std::move(text));
    replay_ = std::make_shared<const Replay>(std::move(replay));
  }
  std::unique_ptr<Episode> start(std::uint64_t seed) const override {
    return std::make_unique<ReplayEpisode>(replay_, seed);
  }
  bool replays() const override { return true; }
  std::vector<std::string> notes() const override { return notes_; }

 private:
  std::shared_ptr<const Replay> replay_;
  std::vector<std::string> notes_;
};

std::shared_ptr<const Environment> make_replay(const std::string&, const Settings& settings, const std::string&) {
  const std::string& file = settings.text("file");
  if (file.empty()) throw Error(ErrorCode::not_found, "environment log", "no file was named", "write log:FILE");
  LogReader reader(file);
  return std::make_shared<ReplayWorld>(
      file, Replay{collect_log(reader), settings.flag("shuffle"), settings.flag("thin")});
}

}  // namespace

std::vector<EnvironmentEntry> replay_entries() {
  const std::vector<ParamInfo> params = {
      {"file", "", "a path", "the log: of a run, VW's cb_adf text or dsjson, plain or gzip; log:FILE for short"},
      {"shuffle", "false", "true | false", "true: events in an order of the seed's; false: as logged"},
      {"thin", "false", "true | false",
       "true: likely choices are dropped more often, as if arms had been played uniformly; fewer rounds count, without bias"},
  };
  return {{{"log", "replays logged decisions: a round counts when the policy chooses the arm that was played",
            params},
           make_replay}};
}

}  // namespace neuralts
