// What a loop's learner shows of what it has read.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "serve/loop_learner.hpp"

namespace neuralts::serve {

namespace {

constexpr std::size_t actions_shown = 10;  // of a recent event
constexpr std::int64_t show_us = 500'000;
constexpr std::size_t explained_at_once = 8, reasons_shown = 4;

/// The likeliest actions, and the chosen one whatever its chance.
std::vector<std::size_t> shown_actions(const EventRecord& event) {
  std::vector<std::size_t> order(event.ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return event.probabilities[a] > event.probabilities[b];
  });
  if (order.size() <= actions_shown) return order;
  const auto last = order.begin() + actions_shown - 1;
  if (std::find(last, order.end(), event.chosen) != order.end()) *last = event.chosen;
  order.resize(actions_shown);
  return order;
}

}  // namespace

/// A few at a time, the newest first: explaining must not hold up learning.
void LoopLearner::explain_recent() {
  const auto published = loop_.published();
  std::size_t left = published->model ? explained_at_once : 0;
  for (auto recent = recent_.rbegin(); recent != recent_.rend() && left > 0; ++recent) {
    if (recent->why || recent->event.model == 0) continue;
    recent->why = reasons(*published, recent->event, reasons_shown);
    --left;
  }
}

void LoopLearner::show() {
  explain_recent();
  next_show_us_ = clock_.ticks_us() + show_us;
  nlohmann::json out = stats_.to_json();
  const JoinCounts& counts = join_.counts();
  out["late"] = counts.late;
  out["surplus"] = counts.surplus;
  out["not_activated"] = counts.not_activated;
  out["waiting"] = join_.waiting();
  out["learned"] = learned_;
  out["position"] = position_;
  out["recent"] = nlohmann::json::array();
  for (const Recent& recent : recent_) {
    const EventRecord& e = recent.event;
    nlohmann::json row = {{"sequence", recent.sequence}, {"time", static_cast<double>(recent.time_us) / 1e6}, {"action", e.ids[e.chosen]},
                          {"probability", e.probabilities[e.chosen]}, {"model", e.model}, {"predicted", e.predicted},
                          {"width", e.width}, {"reward", nullptr}};
    if (recent.reward) row["reward"] = *recent.reward;
    if (recent.why)
      for (const Reason& reason : *recent.why)
        row["why"].push_back({{"name", reason.name}, {"effect", reason.effect}});
    if (e.shadow) row["preferred"] = e.ids[e.preferred];
    for (const std::size_t k : shown_actions(e))
      row["actions"].push_back({{"id", e.ids[k]}, {"probability", e.probabilities[k]}});
    out["recent"].push_back(std::move(row));
  }
  loop_.set_stats(out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace neuralts::serve
