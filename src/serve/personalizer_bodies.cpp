// Personalizer's request bodies.
#include <cmath>

#include "serve/bodies_json.hpp"

namespace neuralts::serve {

namespace {

constexpr std::size_t actions_max = 50;

class PersonalizerRank {
 public:
  PersonalizerRank(const BodyLimits& limits, RankBody& out) : limits_(limits), out_(out) {}

  void read(const Element& root, bool slots) {
    const Object event = object_in(root, "body");
    check_keys(event, {});
    Element actions, excluded, slot_list, context;
    bool has_actions = false, has_excluded = false, has_slots = false, has_context = false;
    for (const auto& [key, value] : event) {
      if (value.is_null()) continue;
      if (key == "contextFeatures") context = value, has_context = true;
      if (key == "actions") actions = value, has_actions = true;
      if (key == "excludedActions" && !slots) excluded = value, has_excluded = true;
      if (key == "slots" && slots) slot_list = value, has_slots = true;
      if (key == "eventId") read_event_id(value);
      if (key == "deferActivation") out_.defer = truth_in(value, "deferActivation");
    }
    if (!has_actions) throw Problem(400, "actions", "is missing");
    read_context(has_context ? &context : nullptr);
    read_actions(array_in(actions, "actions"));
    if (has_excluded) out_.offered.excluded = Positions(out_.offered.ids).of_all(excluded, "excludedActions");
    out_.baseline = first_eligible(out_.offered.ids.size(), out_.offered.excluded, "excludedActions");
    if (!slots) return;
    if (!has_slots) throw Problem(400, "slots", "is missing");
    read_slots(array_in(slot_list, "slots"));
  }

 private:
  void read_event_id(const Element& value) {
    out_.event_id = text_in(value, "eventId");
    if (!out_.event_id.empty()) check_id(out_.event_id, "eventId", limits_.id_bytes_max);
  }

  void read_context(const Element* context) {
    out_.offered.form = Form::objects;
    out_.offered.objects.start_row();
    if (context != nullptr) flatten(*context, "contextFeatures", limits_, out_.offered.objects);
  }

  void read_actions(const Array& list) {
    if (list.size() == 0 || list.size() > actions_max)
      throw Problem(400, "actions", fmt::format("1 to {} actions are needed, not {}", actions_max, list.size()));
    for (const Element item : list) read_action(object_in(item, "actions"));
    check_distinct(out_.offered.ids);
  }

  void read_action(const Object& action) {
    const Place actions("actions"), place(actions, out_.offered.ids.size()), id_place(place, "id");
    check_keys(action, place);
    Element given;
    if (action["id"].get(given) != simdjson::SUCCESS) throw Problem(400, id_place.text(), "is missing");
    std::string id(text_in(given, id_place));
    check_id(id, id_place, limits_.id_bytes_max);
    start_action(out_.offered.objects, id);
    for (const auto& [key, value] : action)
      if (key == "features" && !value.is_null()) add_features(value, Place(place, key), limits_, out_.offered.objects);
    out_.offered.ids.push_back(std::move(id));
  }

  void read_slots(const Array& list) {
    if (list.size() == 0 || list.size() > limits_.slots_max || list.size() > out_.offered.ids.size())
      throw Problem(400, "slots", "1 slot at least is needed, and no more slots than actions");
    const Positions positions(out_.offered.ids);
    for (const Element item : list) read_slot(object_in(item, "slots"), positions);
    check_distinct(out_.slots);
  }

  void read_slot(const Object& slot, const Positions& positions) {
    const Place slots("slots"), place(slots, out_.slots.size());
    check_keys(slot, place);
    SlotBody& body = out_.slots.emplace_back();
    bool has_baseline = false;
    for (const auto& [key, value] : slot) {
      if (value.is_null()) continue;
      const Place here(place, key);
      if (key == "id") body.id = text_in(value, here);
      if (key == "excludedActions") body.excluded = positions.of_all(value, here);
      if (key == "features") read_slot_features(value, here, limits_, Form::objects, body);
      if (key == "baselineAction") body.baseline = positions.of(text_in(value, here), here), has_baseline = true;
    }
    check_id(body.id, Place(place, "id"), limits_.id_bytes_max);
    if (!has_baseline) throw Problem(400, Place(place, "baselineAction").text(), "is missing");
  }

  const BodyLimits& limits_;
  RankBody& out_;
};

double value_in(const Element& value, const Place& place) {
  const double number = number_in(value, place);
  if (!(number >= -1 && number <= 1)) throw Problem(400, place.text(), "a reward is within -1 .. 1");
  return number;
}

SlotReward slot_reward_in(const Object& item) {
  SlotReward reward;
  bool has_value = false;
  for (const auto& [key, value] : item) {
    if (key == "slotId") reward.slot = text_in(value, "reward.slotId");
    if (key == "value") reward.value = value_in(value, "reward.value"), has_value = true;
  }
  if (reward.slot.empty()) throw Problem(400, "reward.slotId", "is missing");
  if (!has_value) throw Problem(400, "reward.value", "is missing");
  return reward;
}

}  // namespace

RankBody& BodyParser::personalizer_rank(std::string_view body, bool slots) {
  PersonalizerRank(limits_, fresh()).read(json_->parse(body), slots);
  return bodies_[0];
}

RewardBody BodyParser::personalizer_reward(std::string_view body, bool slots) {
  const Object object = object_in(json_->parse(body), "body");
  check_keys(object, {});
  RewardBody out;
  for (const auto& [key, value] : object) {
    if (!slots && key == "value") out.rewards.push_back({"", value_in(value, "value")});
    if (slots && key == "reward")
      for (const Element item : array_in(value, "reward"))
        out.rewards.push_back(slot_reward_in(object_in(item, "reward")));
  }
  if (out.rewards.empty()) throw Problem(400, slots ? "reward" : "value", "is missing");
  return out;
}

}  // namespace neuralts::serve
