#include "serve/loop_stats.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace neuralts::serve {

namespace {

using nlohmann::json;

constexpr std::int64_t bucket_us = 10'000'000;
constexpr std::size_t buckets_max = 360;    // an hour
constexpr std::size_t actions_max = 1000;   // further ones are counted together
constexpr std::size_t shares_max = 50;      // of a bucket
constexpr std::size_t versions_max = 20;
constexpr const char* others = "(others)";
constexpr double delay_edges_us[] = {1e5, 1e6, 1e7, 6e7, 6e8, 3.6e9, 8.64e10};

double mean(const Moments& m) { return m.n > 0 ? m.sum / m.n : 0; }

double half_width(const Moments& m) {
  if (m.n < 2) return 0;
  const double variance = std::max(0.0, (m.squares - m.sum * m.sum / m.n) / (m.n - 1));
  return 1.96 * std::sqrt(variance / m.n);
}

json interval(double value, double half, double n) {
  if (n == 0) return nullptr;
  return {{"value", value}, {"low", value - half}, {"high", value + half}, {"n", n}};
}

json interval(const Moments& m) { return interval(mean(m), half_width(m), m.n); }
json interval(const Weighted& w) { return w.w > 0 ? interval(w.value(), w.half_width(), w.n) : json(); }

template <class Map>
auto& entry(Map& map, const std::string& key, std::size_t most) {
  const auto found = map.find(key);
  if (found != map.end()) return found->second;
  return map.size() < most ? map[key] : map[others];
}

}  // namespace

void Weighted::add(double weight, double reward) {
  n += 1;
  w += weight;
  wr += weight * reward;
  ww += weight * weight;
  wwr += weight * weight * reward;
  wwrr += weight * weight * reward * reward;
}

double Weighted::half_width() const {
  if (w <= 0) return 0;
  const double v = value();
  return 1.96 * std::sqrt(std::max(0.0, wwrr - 2 * v * wwr + v * v * ww)) / w;
}

LoopStats::Bucket& LoopStats::bucket(std::int64_t time_us) {
  const std::int64_t start = time_us - time_us % bucket_us;
  if (buckets_.empty() || buckets_.back().start_us < start) {
    best_ = best_action();
    buckets_.emplace_back().start_us = start;
    shares_.emplace_back();
    if (buckets_.size() > buckets_max) buckets_.pop_front(), shares_.pop_front();
  }
  return buckets_.back();
}

void LoopStats::event(const Record& record, const EventRecord& event) {
  const auto likeliest = std::max_element(event.probabilities.begin(), event.probabilities.end()) -
                         event.probabilities.begin();
  const bool explored = !event.shadow && event.probabilities[event.chosen] <
                                             event.probabilities[static_cast<std::size_t>(likeliest)];
  Bucket& now = bucket(record.time_us);
  ++totals_.decisions, ++now.decisions;
  totals_.explored += explored, now.explored += explored;
  totals_.shadows += event.shadow;
  totals_.agreed += event.shadow && event.preferred == event.chosen;
  for (std::size_t k = 0; k < event.ids.size(); ++k)
    if (event.probabilities[k] > 0) ++entry(actions_, event.ids[k], actions_max).offered;
  ++entry(actions_, event.ids[event.chosen], actions_max).chosen;
  ++entry(shares_.back(), event.ids[event.chosen], shares_max);
}

void LoopStats::joined(const Joined& joined, bool learned) {
  const EventRecord& event = *joined.event;
  ++(joined.by_default ? totals_.defaults : totals_.rewards);
  totals_.held_out += !learned;
  totals_.reward.add(joined.reward);
  if (event.shadow && event.preferred == event.chosen) totals_.agreed_reward.add(joined.reward);
  Bucket& now = bucket(joined.time_us + joined.delay_us);
  now.reward.add(joined.reward);
  now.predicted.add(event.predicted);
  const double weight = event.shadow ? 1.0 : 1.0 / std::max(1e-6F, event.probabilities[event.chosen]);
  const std::string& chosen = event.ids[event.chosen];
  totals_.baseline.add(event.chosen == event.baseline ? weight : 0, joined.reward);
  now.baseline.add(event.chosen == event.baseline ? weight : 0, joined.reward);
  now.best.add(chosen == best_ ? weight : 0, joined.reward);
  for (std::size_t k = 0; k < event.ids.size(); ++k)
    if (event.probabilities[k] > 0)
      entry(actions_, event.ids[k], actions_max).value.add(k == event.chosen ? weight : 0, joined.reward);
  if (event.model > 0) {
    Version& version = versions_[event.model];
    version.predicted.add(event.predicted);
    version.realised.add(joined.reward);
    version.error.add((event.predicted - joined.reward) * (event.predicted - joined.reward));
    if (versions_.size() > versions_max) versions_.erase(versions_.begin());
  }
  if (joined.by_default) return;
  const auto* edge = std::upper_bound(std::begin(delay_edges_us), std::end(delay_edges_us),
                                      static_cast<double>(joined.delay_us));
  ++delays_[edge - std::begin(delay_edges_us)];
}

/// The constant action that has the largest value, among those that are known well enough to tell.
std::string LoopStats::best_action() const {
  std::string best;
  double value = -1e300;
  for (const auto& [id, action] : actions_)
    if (action.chosen >= 10 && action.value.w > 0 && action.value.value() > value)
      best = id, value = action.value.value();
  return best;
}

json LoopStats::to_json() const {
  json out = {{"decisions", totals_.decisions},
              {"explored", totals_.explored},
              {"rewards", totals_.rewards},
              {"defaults", totals_.defaults},
              {"held_out", totals_.held_out},
              {"misfits", totals_.misfits},
              {"reward", interval(totals_.reward)},
              {"baseline", interval(totals_.baseline)}};
  if (totals_.shadows > 0)
    out["apprentice"] = {{"decisions", totals_.shadows},
                         {"agreed", totals_.agreed},
                         {"reward_where_agreed", interval(totals_.agreed_reward)}};
  if (const std::string best = best_action(); !best.empty()) {
    out["best_constant"] = interval(actions_.at(best).value);
    out["best_constant"]["action"] = best;
  }
  std::vector<std::pair<std::string, const Action*>> top;
  for (const auto& [id, action] : actions_) top.emplace_back(id, &action);
  std::stable_sort(top.begin(), top.end(),
                   [](const auto& a, const auto& b) { return a.second->chosen > b.second->chosen; });
  if (top.size() > 20) top.resize(20);
  for (const auto& [id, action] : top)
    out["actions"].push_back({{"id", id},
                              {"offered", action->offered},
                              {"chosen", action->chosen},
                              {"value", interval(action->value)}});
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    const Bucket& b = buckets_[i];
    out["time"].push_back({{"start", static_cast<double>(b.start_us) / 1e6},
                           {"decisions", b.decisions},
                           {"explored", b.explored},
                           {"reward", interval(b.reward)},
                           {"predicted", interval(b.predicted)},
                           {"baseline", interval(b.baseline)},
                           {"best_constant", interval(b.best)},
                           {"actions", shares_[i]}});
  }
  for (const auto& [version, v] : versions_)
    out["models"].push_back({{"version", version}, {"n", v.realised.n}, {"predicted", interval(v.predicted)},
                             {"realised", interval(v.realised)}, {"squared_error", mean(v.error)}});
  out["delays"] = json::array();
  for (const std::uint64_t count : delays_) out["delays"].push_back(count);
  return out;
}

namespace {

template <class Map, class Put>
void save_map(Writer& out, const Map& map, const Put& put) {
  out.value<std::uint64_t>(map.size());
  for (const auto& [key, value] : map) put(key, value);
}

}  // namespace

void LoopStats::save(Writer& out) const {
  out.value(totals_);
  out.values(std::vector<Bucket>(buckets_.begin(), buckets_.end()));
  for (const auto& shares : shares_)
    save_map(out, shares, [&](const auto& id, const auto& n) { out.text(id), out.value(n); });
  save_map(out, actions_, [&](const auto& id, const auto& action) { out.text(id), out.value(action); });
  save_map(out, versions_, [&](const auto& v, const auto& version) { out.value(v), out.value(version); });
  out.value(delays_);
  out.text(best_);
}

void LoopStats::restore(Reader& in) {
  totals_ = in.value<Totals>();
  const auto buckets = in.values<Bucket>();
  buckets_.assign(buckets.begin(), buckets.end());
  shares_.assign(buckets.size(), {});
  for (auto& shares : shares_)
    for (auto n = in.value<std::uint64_t>(); n > 0; --n) {
      const std::string id = in.text();
      shares[id] = in.value<std::uint64_t>();
    }
  for (auto n = in.value<std::uint64_t>(); n > 0; --n) {
    const std::string id = in.text();
    actions_[id] = in.value<Action>();
  }
  for (auto n = in.value<std::uint64_t>(); n > 0; --n) {
    const auto version = in.value<std::uint64_t>();
    versions_[version] = in.value<Version>();
  }
  struct Delays {
    std::uint64_t n[8];
  };
  const auto delays = in.value<Delays>();
  std::copy(std::begin(delays.n), std::end(delays.n), std::begin(delays_));
  best_ = in.text();
}

}  // namespace neuralts::serve
