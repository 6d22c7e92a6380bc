#include "serve/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <map>
#include <mutex>

namespace neuralts::serve {

namespace {

using namespace prometheus;

const Histogram::BucketBoundaries seconds_edges = {1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3,
                                                   2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1,  1};
const Histogram::BucketBoundaries batch_edges = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};

Family<Counter>& counter(Registry& registry, const char* name, const char* help) {
  return BuildCounter().Name(name).Help(help).Register(registry);
}
Family<Gauge>& gauge(Registry& registry, const char* name, const char* help) {
  return BuildGauge().Name(name).Help(help).Register(registry);
}
Family<Histogram>& histogram(Registry& registry, const char* name, const char* help) {
  return BuildHistogram().Name(name).Help(help).Register(registry);
}

}  // namespace

struct Metrics::Families {
  class Meters final : public LoopMeters {
   public:
    Meters(Families& f, const std::string& loop)
        : decisions_(f.decisions.Add({{"loop", loop}})),
          seconds_(f.decide_seconds.Add({{"loop", loop}}, seconds_edges)) {
      for (const char* outcome : {"applied", "accepted", "duplicate", "late", "unknown", "forged"})
        rewards_[outcome] = &f.rewards.Add({{"loop", loop}, {"outcome", outcome}});
    }
    void decided(std::size_t events, double seconds) override {
      decisions_.Increment(static_cast<double>(events));
      seconds_.Observe(seconds);
    }
    void rewarded(const char* outcome) override { rewards_.at(outcome)->Increment(); }

   private:
    Counter& decisions_;
    Histogram& seconds_;
    std::map<std::string, Counter*, std::less<>> rewards_;
  };

  Registry registry;
  Family<Counter>& decisions = counter(registry, "neuralts_decisions_total", "Events decided and acknowledged");
  Family<Counter>& rewards = counter(registry, "neuralts_rewards_total", "Rewards by what became of them");
  Family<Counter>& responses = counter(registry, "neuralts_responses_total", "HTTP answers by status");
  Family<Histogram>& decide_seconds = histogram(registry, "neuralts_decide_duration_seconds",
                                                "From a request's last byte to its commit");
  Histogram& commit_seconds = histogram(registry, "neuralts_commit_duration_seconds",
                                        "Group commits of the journal")
                                  .Add({}, seconds_edges);
  Histogram& batch = histogram(registry, "neuralts_commit_batch_records", "Records of a group commit")
                         .Add({}, batch_edges);
  Gauge& pending = gauge(registry, "neuralts_pending_records", "Records that wait for their commit").Add({});
  Gauge& bytes = gauge(registry, "neuralts_journal_bytes", "Size of the journal on disk").Add({});
  Gauge& ready = gauge(registry, "neuralts_ready", "1 while events are taken").Add({});
  Family<Gauge>& lag_events = gauge(registry, "neuralts_learner_lag_records",
                                    "Records that the learner has not read");
  Family<Gauge>& lag_seconds = gauge(registry, "neuralts_learner_lag_seconds",
                                     "Age of the newest record that the learner has read");
  Family<Gauge>& training = gauge(registry, "neuralts_learner_busy_seconds",
                                  "Time spent on learning since the start");
  Family<Gauge>& version = gauge(registry, "neuralts_model_version", "Version that serves");
  Family<Gauge>& age = gauge(registry, "neuralts_model_age_seconds", "Time since it was published");
  Family<Gauge>& published = gauge(registry, "neuralts_models_published", "Models published since the start");
  Family<Gauge>& refused = gauge(registry, "neuralts_models_refused",
                                 "Models that were not fit to serve, since the start");
  Family<Gauge>& learned = gauge(registry, "neuralts_learned_rounds", "Rounds that the learner has learned");
  Family<Gauge>& waiting = gauge(registry, "neuralts_waiting_rewards",
                                 "Rewards that wait for their window or activation");
  std::map<std::string, std::unique_ptr<Meters>> loops;
  std::array<std::atomic<Counter*>, 600> by_status{};
  std::mutex mutex;
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {}
Metrics::~Metrics() = default;

LoopMeters& Metrics::loop(const std::string& name) {
  const std::lock_guard lock(families_->mutex);
  auto& meters = families_->loops[name];
  if (!meters) meters = std::make_unique<Families::Meters>(*families_, name);
  return *meters;
}

void Metrics::responded(int status) {
  auto& counter = families_->by_status[static_cast<std::size_t>(status) % 600];
  if (counter.load() == nullptr) counter = &families_->responses.Add({{"code", std::to_string(status)}});
  counter.load()->Increment();
}

void Metrics::committed(std::size_t entries, double seconds) {
  families_->commit_seconds.Observe(seconds);
  families_->batch.Observe(static_cast<double>(entries));
}

void Metrics::set(const std::string& loop, const LoopGauges& g) {
  Families& f = *families_;
  const auto put = [&](Family<Gauge>& family, double value) { family.Add({{"loop", loop}}).Set(value); };
  put(f.lag_events, g.lag_events);
  put(f.lag_seconds, g.lag_seconds);
  put(f.training, g.training_seconds);
  put(f.version, g.model_version);
  put(f.age, g.model_age_seconds);
  put(f.published, g.published);
  put(f.refused, g.refused);
  put(f.learned, g.learned);
  put(f.waiting, g.waiting);
}

void Metrics::set_node(bool learns, std::optional<double> backlog) {
  Registry& registry = families_->registry;
  gauge(registry, "neuralts_node_learns", "1 at the node that learns").Add({}).Set(learns ? 1 : 0);
  if (!backlog) return;
  gauge(registry, "neuralts_spool_backlog_records", "Records of the spool that are not shipped yet")
      .Add({})
      .Set(*backlog);
}

void Metrics::set_service(double pending, double journal_bytes, double ready) {
  families_->pending.Set(pending);
  families_->bytes.Set(journal_bytes);
  families_->ready.Set(ready);
}

std::string Metrics::text() const { return TextSerializer().Serialize(families_->registry.Collect()); }

}  // namespace neuralts::serve
