#include "serve/bodies.hpp"

#include <cmath>
#include <cstring>

#include "serve/bodies_json.hpp"

namespace neuralts::serve {

void RankBody::clear() {
  event_id.clear();
  defer = false;
  offered.clear();
  objects.clear();
  baseline = 0;
  slots.clear();
}

BodyParser::BodyParser(const BodyLimits& limits) : limits_(limits), json_(std::make_unique<Json>()), bodies_(1) {}
BodyParser::~BodyParser() = default;

RankBody& BodyParser::fresh() {
  bodies_[0].clear();
  return bodies_[0];
}

void check_id(std::string_view id, const std::string& field, std::size_t bytes_max) {
  if (id.empty() || id.size() > bytes_max) throw Problem(422, field, fmt::format("an id has 1 to {} bytes", bytes_max));
  for (const char c : id)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) throw Problem(422, field, "an id has no control characters");
}

namespace {

/// Reads the native dialect's event; `place` is where it stands in the body ("[3]."), for messages.
class NativeRank {
 public:
  NativeRank(const BodyLimits& limits, std::unordered_map<std::string_view, std::uint32_t>& positions, std::string place, RankBody& out)
      : limits_(limits), positions_(positions), place_(std::move(place)), out_(out) {}

  void read(const Element& root, bool slots) {
    const Object event = object_in(root, place_.empty() ? "body" : place_);
    check_keys(event, place_);
    for (const auto& [key, value] : event) take(key, value, slots);
    if (!has_actions_) throw Problem(422, at("actions"), "is missing");
    read_actions();
    read_rest();
    if (slots) read_slots();
  }

 private:
  std::string at(std::string_view field) const { return place_.empty() ? std::string(field) : place_ + "." + std::string(field); }

  void take(std::string_view key, const Element& value, bool slots) {
    if (key == "context") {
      context_ = value;
      has_context_ = true;
    } else if (key == "actions") {
      actions_ = value;
      has_actions_ = true;
    } else if (key == "excluded") {
      excluded_ = value;
      has_excluded_ = true;
    } else if (key == "event_id") {
      out_.event_id = text_in(value, at(key));
      check_id(out_.event_id, at(key), limits_.id_bytes_max);
    } else if (key == "defer") {
      out_.defer = truth_in(value, at(key));
    } else if (key == "slots" && slots) {
      slots_ = value;
      has_slots_ = true;
    } else {
      throw Problem(422, at(key), "unknown key: there are context, actions, excluded, event_id, defer");
    }
  }

  void read_actions() {
    const Array list = array_in(actions_, at("actions"));
    if (list.size() == 0 || list.size() > limits_.actions_max)
      throw Problem(422, at("actions"), fmt::format("1 to {} actions are needed, not {}", limits_.actions_max, list.size()));
    start_objects();
    std::size_t k = 0;
    for (const Element item : list) read_action(object_in(item, fmt::format("{}[{}]", at("actions"), k)), k++);
    out_.objects += "]}";
    index_ids(out_.offered.ids, positions_);
    if (out_.offered.form != Form::vectors) out_.offered.form = Form::objects;
  }

  void start_objects() {
    out_.offered.objects.start_row();
    out_.objects = R"({"context":)";
    if (has_context_) {
      object_in(context_, at("context"));
      flatten(context_, at("context"), limits_, out_.offered.objects);
      out_.objects += simdjson::minify(context_);
    } else {
      out_.objects += "{}";
    }
    out_.objects += R"(,"actions":[)";
  }

  void read_action(const Object& action, std::size_t k) {
    const std::string place = fmt::format("{}[{}]", at("actions"), k);
    check_keys(action, place);
    if (k > 0) out_.objects += ',';
    Element id;
    if (action["id"].get(id) != simdjson::SUCCESS) throw Problem(422, place + ".id", "is missing");
    out_.offered.ids.emplace_back(text_in(id, place + ".id"));
    check_id(out_.offered.ids.back(), place + ".id", limits_.id_bytes_max);
    start_action(out_.offered.objects, out_.offered.ids.back());
    bool has_features = false, has_vector = false;
    for (const auto& [key, value] : action) {
      if (key == "id") continue;
      if (key == "features") {
        object_in(value, place + ".features");
        flatten(value, place + ".features", limits_, out_.offered.objects);
        out_.objects += simdjson::minify(value);
        has_features = true;
      } else if (key == "vector") {
        read_vector(array_in(value, place + ".vector"), place, k);
        has_vector = true;
      } else {
        throw Problem(422, place + "." + std::string(key), "unknown key: there are id, features, vector");
      }
    }
    if (!has_features) out_.objects += "{}";
    if (has_vector != (out_.offered.form == Form::vectors)) throw Problem(422, place + ".vector", "either all actions have one, or none");
  }

  void read_vector(const Array& values, const std::string& place, std::size_t k) {
    Offered& offered = out_.offered;
    if (k == 0) {
      offered.form = Form::vectors;
      offered.length = static_cast<std::uint32_t>(values.size());
      if (values.size() == 0 || values.size() > limits_.vector_max)
        throw Problem(422, place + ".vector", fmt::format("1 to {} numbers are needed", limits_.vector_max));
    }
    if (offered.form != Form::vectors || values.size() != offered.length)
      throw Problem(422, place + ".vector", fmt::format("{} numbers, the first action has {}", values.size(), offered.length));
    for (const Element value : values) {
      double number = 0;
      if (value.get_double().get(number) != simdjson::SUCCESS || !(std::abs(number) <= 3.4028234e38))
        throw Problem(422, place + ".vector", "numbers within single precision are needed");
      offered.vectors.push_back(static_cast<float>(number));
    }
  }

  void read_rest() {
    if (has_excluded_) out_.offered.excluded = excluded_in(excluded_, at("excluded"), positions_);
    out_.baseline = first_eligible(out_.offered.ids.size(), out_.offered.excluded, at("excluded"));
    if (out_.offered.form == Form::vectors) out_.objects.clear();
  }

  void read_slots() {
    if (!has_slots_) throw Problem(422, "slots", "is missing");
    const Array list = array_in(slots_, "slots");
    if (list.size() == 0 || list.size() > limits_.slots_max || list.size() > out_.offered.ids.size())
      throw Problem(422, "slots", fmt::format("1 to {} slots are needed, and no more than actions", limits_.slots_max));
    for (const Element item : list) read_slot(object_in(item, fmt::format("slots[{}]", out_.slots.size())));
  }

  void read_slot(const Object& slot) {
    const std::string place = fmt::format("slots[{}]", out_.slots.size());
    check_keys(slot, place);
    SlotBody& body = out_.slots.emplace_back();
    body.baseline = out_.baseline;
    for (const auto& [key, value] : slot) {
      if (key == "id")
        body.id = text_in(value, place + ".id");
      else if (key == "excluded")
        body.excluded = excluded_in(value, place + ".excluded", positions_);
      else
        throw Problem(422, place + "." + std::string(key), "unknown key: there are id, excluded");
    }
    check_id(body.id, place + ".id", limits_.id_bytes_max);
  }

  const BodyLimits& limits_;
  std::unordered_map<std::string_view, std::uint32_t>& positions_;
  std::string place_;
  RankBody& out_;
  Element context_, actions_, excluded_, slots_;
  bool has_context_ = false, has_actions_ = false, has_excluded_ = false, has_slots_ = false;
};

}  // namespace

std::span<RankBody> BodyParser::rank(std::string_view body, bool& batch) {
  const Element root = json_->parse(body);
  batch = root.is_array();
  if (!batch) {
    NativeRank(limits_, json_->positions, "", fresh()).read(root, false);
    return {bodies_.data(), 1};
  }
  const Array events = root.get_array();
  if (events.size() == 0 || events.size() > limits_.batch_max)
    throw Problem(422, "", fmt::format("a batch has 1 to {} events", limits_.batch_max));
  if (bodies_.size() < events.size()) bodies_.resize(events.size());
  std::size_t i = 0;
  for (const Element event : events) {
    bodies_[i].clear();
    NativeRank(limits_, json_->positions, fmt::format("[{}]", i), bodies_[i]).read(event, false);
    ++i;
  }
  return {bodies_.data(), i};
}

RankBody& BodyParser::slots(std::string_view body) {
  NativeRank(limits_, json_->positions, "", fresh()).read(json_->parse(body), true);
  return bodies_[0];
}

RankBody& BodyParser::rank_binary(std::string_view body) {
  std::uint32_t sizes[2] = {0, 0};
  if (body.size() < sizeof sizes) throw Problem(400, "", "a binary body begins with two 32-bit numbers: actions, length");
  std::memcpy(sizes, body.data(), sizeof sizes);
  const auto [actions, length] = sizes;
  if (actions == 0 || actions > limits_.actions_max) throw Problem(422, "actions", fmt::format("1 to {} actions are needed", limits_.actions_max));
  if (length == 0 || length > limits_.vector_max) throw Problem(422, "length", fmt::format("1 to {} numbers are needed", limits_.vector_max));
  const std::size_t count = std::size_t{actions} * length;
  if (body.size() != sizeof sizes + count * sizeof(float)) throw Problem(400, "", fmt::format("{} numbers must follow", count));
  RankBody& out = fresh();
  out.offered.form = Form::vectors;
  out.offered.length = length;
  out.offered.vectors.resize(count);
  std::memcpy(out.offered.vectors.data(), body.data() + sizeof sizes, count * sizeof(float));
  for (const float x : out.offered.vectors)
    if (!std::isfinite(x)) throw Problem(422, "vector", "a number that is not finite");
  for (std::uint32_t k = 0; k < actions; ++k) out.offered.ids.push_back(std::to_string(k));
  return out;
}

RewardBody BodyParser::reward(std::string_view body) {
  const Object object = object_in(json_->parse(body), "body");
  check_keys(object, "");
  RewardBody out;
  SlotReward reward;
  bool has_value = false;
  for (const auto& [key, value] : object) {
    if (key == "value") {
      reward.value = number_in(value, "value");
      if (!(std::abs(reward.value) <= 1e6)) throw Problem(422, "value", "a reward is within -1e6 .. 1e6");
      has_value = true;
    } else if (key == "key") {
      out.key = text_in(value, "key");
      check_id(out.key, "key", limits_.id_bytes_max);
    } else if (key == "slot") {
      reward.slot = text_in(value, "slot");
    } else {
      throw Problem(422, std::string(key), "unknown key: there are value, key, slot");
    }
  }
  if (!has_value) throw Problem(422, "value", "is missing");
  out.rewards.push_back(std::move(reward));
  return out;
}

void read_objects(std::string_view text, const std::vector<std::string>& ids, FieldTable& out) {
  thread_local simdjson::dom::parser parser;
  Element root;
  BodyLimits loose;
  loose.depth_max = 64;
  try {
    if (parser.parse(text.data(), text.size()).get(root)) throw Problem(422, "", "not JSON");
    out.clear();
    out.start_row();
    flatten(root["context"], "context", loose, out);
    for (const Element action : array_in(root["actions"], "actions")) {
      if (out.rows() > ids.size()) throw Problem(422, "", "too many actions");
      start_action(out, ids[out.rows() - 1]);
      flatten(action, "features", loose, out);
    }
    if (out.rows() != ids.size() + 1) throw Problem(422, "", "another number of actions");
  } catch (const std::exception& problem) {
    throw Error(ErrorCode::corrupt, "journal", std::string("an event's objects cannot be read: ") + problem.what());
  }
}

std::string only_action(std::string_view text, std::size_t action) {
  thread_local simdjson::dom::parser parser;
  const Element root = parser.parse(text.data(), text.size());
  const Element context = root["context"], chosen = root["actions"].get_array().at(action);
  return R"({"context":)" + simdjson::minify(context) + R"(,"actions":[)" + simdjson::minify(chosen) + "]}";
}

}  // namespace neuralts::serve
