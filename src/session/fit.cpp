// Learning from a log.
#include <algorithm>
#include <functional>

#include "neuralts/error.hpp"
#include "session/state.hpp"

namespace neuralts {

namespace {

constexpr std::size_t batch = 1024;

void count(FitReport& report, double weight) {
  ++report.events;
  report.weight_sum += weight;
  report.weight_largest = std::max(report.weight_largest, weight);
}

// Rounds with numbers of their own, learned so many at a time.
class Batches {
 public:
  using Learn = std::function<void(std::span<const Finished>)>;
  explicit Batches(Learn learn) : learn_(std::move(learn)) {}
  void add(std::vector<double> x, std::uint32_t block, double reward, double weight) {
    rounds_.push_back({std::move(x), block, reward, weight});
    if (rounds_.size() == batch) flush();
  }
  void flush() {
    std::vector<Finished> views;
    for (const KeptRound& round : rounds_) views.push_back(round.view());
    if (!views.empty()) learn_(views);
    rounds_.clear();
  }

 private:
  Learn learn_;
  std::vector<KeptRound> rounds_;
};

}  // namespace

double fit_weight(const Event& event, const FitOptions& options) {
  if (!options.weigh) return 1;
  return std::min(options.largest, 1 / (static_cast<double>(event.arms()) * event.probability() * event.kept));
}

FitReport fit(Policy& policy, LogReader& log, const FitOptions& options) {
  FitReport report;
  const Shape shape = policy.spec().shape;
  Batches batches([&](std::span<const Finished> rounds) { policy.learn(rounds); });
  for (Event event; log.next(event);) {
    if (!event.reward) {
      ++report.without_reward;
      continue;
    }
    if (!event.offer.has_numbers() || event.offer.length != shape.length)
      throw Error(ErrorCode::bad_input, log.name(),
                  "event " + std::to_string(log.counts().events) + " has no contexts of " +
                      std::to_string(shape.length) + " numbers",
                  event.offer.has_objects() ? "it has objects: give the policy features"
                                            : "this is the log of another problem");
    const Contexts contexts = event.offer.contexts();
    const Slice x = contexts[event.arm];
    if (x.block >= shape.blocks)
      throw Error(ErrorCode::bad_input, log.name(), "an arm has block " + std::to_string(x.block),
                  "the policy has " + std::to_string(shape.blocks));
    policy.played(contexts, event.arm);
    const double weight = fit_weight(event, options);
    count(report, weight);
    batches.add({x.values.begin(), x.values.end()}, static_cast<std::uint32_t>(x.block), *event.reward, weight);
  }
  batches.flush();
  return report;
}

void Session::State::learn_schema_from_log(const std::string& path, const FitOptions& options) {
  LogReader reader(path, {.skip_bad = options.skip_bad, .only_rewarded = false});
  std::size_t seen = 0;
  for (Event event; seen < spec.features.events && reader.next(event);) {
    if (!event.offer.has_objects())
      throw Error(ErrorCode::bad_input, path, "the log's decisions have no features",
                  "this policy takes objects");
    learner->see(event.offer.objects);
    ++seen;
  }
  if (seen == 0) throw Error(ErrorCode::bad_input, path, "the log holds no decision");
  take_schema(learner->schema());
  freeze();
}

FitReport Session::fit(const std::string& path, const FitOptions& options) {
  State& s = *state_;
  if (s.learner) s.learn_schema_from_log(path, options);
  FitReport report;
  LogReader reader(path, {.skip_bad = options.skip_bad, .only_rewarded = false});
  Batches batches([&](std::span<const Finished> rounds) { s.learn(rounds); });
  for (Event event; reader.next(event);) {
    if (!event.reward) {
      ++report.without_reward;
      continue;
    }
    if (!event.offer.has_objects())
      throw Error(ErrorCode::bad_input, path, "the log's decisions have no features",
                  "this policy takes objects");
    std::vector<double> x(s.length());
    s.encode_chosen(event.offer.objects, event.arm, x);
    const std::uint32_t block = s.by_name() ? s.block_of_logged(event, path) : 0;
    s.tell_offered(event.offer.objects);
    s.agent->policy().played({x, block});
    const double weight = fit_weight(event, options);
    count(report, weight);
    batches.add(std::move(x), block, *event.reward, weight);
  }
  batches.flush();
  return report;
}

std::uint32_t Session::State::block_of_logged(const Event& event, const std::string& path) {
  const std::string name = event.actions.empty() ? names_of(event.offer.objects)[event.arm]
                                                 : event.actions[event.arm];
  const auto place = arms.find(name);
  if (!place || place->reused)
    throw Error(ErrorCode::bad_input, path, "there is no room for the arm '" + name + "'",
                "the policy was declared for " + std::to_string(spec.most_arms) + " arms");
  return arms.take(name).block;
}

}  // namespace neuralts
