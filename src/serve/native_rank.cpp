#include "serve/native_rank.hpp"

#include <cmath>

#include "neuralts/limits.hpp"

namespace neuralts::serve {

void NativeRank::read(const Element& root, bool slots) {
  if (!root.is_object()) throw Problem(422, place_.text().empty() ? "body" : place_.text(), "an object is needed");
  const Object event = root.get_object();
  check_keys(event, place_);
  for (const auto& [key, value] : event) take(key, value, slots);
  if (!actions_) throw Problem(422, Place(place_, "actions").text(), "is missing");
  read_context();
  read_actions();
  const Place place(place_, "excluded");
  if (excluded_) out_.offered.excluded = Positions(out_.offered.ids).of_all(*excluded_, place);
  out_.baseline = first_eligible(out_.offered.ids.size(), out_.offered.excluded, place);
  if (slots) read_slots();
}

void NativeRank::take(std::string_view key, const Element& value, bool slots) {
  const Place place(place_, key);
  if (key == "context") {
    object_in(value, place);
    context_ = value;
  } else if (key == "actions") {
    actions_ = value;
  } else if (key == "excluded") {
    excluded_ = value;
  } else if (key == "event_id") {
    out_.event_id = text_in(value, place);
    check_id(out_.event_id, place, limits_.id_bytes_max);
  } else if (key == "defer") {
    out_.defer = truth_in(value, place);
  } else if (key == "slots" && slots) {
    slots_ = value;
  } else {
    throw Problem(422, place.text(), "unknown key: there are context, actions, excluded, event_id, defer");
  }
}

void NativeRank::read_context() {
  out_.offered.objects.start_row();
  if (context_) flatten(*context_, Place(place_, "context"), limits_, out_.offered.objects);
}

void NativeRank::read_actions() {
  const Place place(place_, "actions");
  const Array list = array_in(*actions_, place);
  if (list.size() == 0 || list.size() > limits_.actions_max)
    throw Problem(422, place.text(),
                  fmt::format("1 to {} actions are needed, not {}", limits_.actions_max, list.size()));
  std::size_t k = 0;
  for (const Element item : list) read_action(object_in(item, Place(place, k)), k), ++k;
  check_distinct(out_.offered.ids);
  if (out_.offered.form == Form::vectors)
    out_.offered.objects.clear();
  else
    out_.offered.form = Form::objects;
}

void NativeRank::read_action(const Object& action, std::size_t k) {
  const Place actions(place_, "actions"), place(actions, k), id_place(place, "id"), vector_place(place, "vector");
  check_keys(action, place);
  Element id;
  if (action["id"].get(id) != simdjson::SUCCESS) throw Problem(422, id_place.text(), "is missing");
  out_.offered.ids.emplace_back(text_in(id, id_place));
  check_id(out_.offered.ids.back(), id_place, limits_.id_bytes_max);
  start_action(out_.offered.objects, out_.offered.ids.back());
  bool has_vector = false;
  for (const auto& [key, value] : action) {
    if (key == "id") continue;
    if (key == "features") {
      const Place features(place, key);
      object_in(value, features);
      add_features(value, features, limits_, out_.offered.objects);
    } else if (key == "vector") {
      read_vector(array_in(value, vector_place), vector_place, k);
      has_vector = true;
    } else {
      throw Problem(422, Place(place, key).text(), "unknown key: there are id, features, vector");
    }
  }
  if (has_vector != (out_.offered.form == Form::vectors))
    throw Problem(422, vector_place.text(), "either all actions have one, or none");
}

void NativeRank::read_vector(const Array& values, const Place& place, std::size_t k) {
  Offered& offered = out_.offered;
  const std::size_t size = values.size();
  if (k == 0) {
    offered.form = Form::vectors;
    offered.length = static_cast<std::uint32_t>(size);
    if (size == 0 || size > limits_.vector_max)
      throw Problem(422, place.text(), fmt::format("1 to {} numbers are needed, not {}: [limits] vector says how many there may be", limits_.vector_max, size));
  }
  if (offered.form != Form::vectors || size != offered.length)
    throw Problem(422, place.text(), fmt::format("{} numbers, the first action has {}", size, offered.length));
  std::size_t i = 0;
  for (const Element value : values) {
    double number = 0;
    if (value.get_double().get(number) != simdjson::SUCCESS || !(std::abs(number) <= largest_number))
      throw Problem(422, Place(place, i).text(), "a number from -1e15 to 1e15 is needed");
    offered.vectors.push_back(static_cast<float>(number));
    ++i;
  }
}

void NativeRank::read_slots() {
  if (!slots_) throw Problem(422, "slots", "is missing");
  const Array list = array_in(*slots_, "slots");
  if (list.size() == 0 || list.size() > limits_.slots_max || list.size() > out_.offered.ids.size())
    throw Problem(422, "slots",
                  fmt::format("1 to {} slots are needed, and no more than actions", limits_.slots_max));
  const Positions positions(out_.offered.ids);
  const Place slots("slots");
  for (const Element item : list) read_slot(object_in(item, Place(slots, out_.slots.size())), positions);
  check_distinct(out_.slots);
}

void NativeRank::read_slot(const Object& slot, const Positions& positions) {
  const Place slots("slots"), place(slots, out_.slots.size());
  check_keys(slot, place);
  SlotBody& body = out_.slots.emplace_back();
  body.baseline = out_.baseline;
  for (const auto& [key, value] : slot) {
    const Place here(place, key);
    if (key == "id") {
      body.id = text_in(value, here);
    } else if (key == "excluded") {
      body.excluded = positions.of_all(value, here);
    } else if (key == "features") {
      object_in(value, here);
      read_slot_features(value, here, limits_, out_.offered.form, body);
    } else {
      throw Problem(422, here.text(), "unknown key: there are id, excluded, features");
    }
  }
  check_id(body.id, Place(place, "id"), limits_.id_bytes_max);
}

}  // namespace neuralts::serve
