#include "serve/bodies.hpp"

#include <cmath>
#include <cstring>

#include "neuralts/limits.hpp"
#include "serve/native_rank.hpp"
#include "serve/plain_rank.hpp"

namespace neuralts::serve {

void RankBody::clear() {
  event_id.clear();
  defer = false;
  offered.clear();
  baseline = 0;
  slots.clear();
}

BodyParser::BodyParser(const BodyLimits& limits) : limits_(limits), json_(std::make_unique<Json>()), bodies_(1) {}
BodyParser::~BodyParser() = default;

RankBody& BodyParser::fresh() {
  bodies_[0].clear();
  return bodies_[0];
}

void check_id(std::string_view id, const Place& place, std::size_t bytes_max) {
  if (id.empty() || id.size() > bytes_max)
    throw Problem(422, place.text(), fmt::format("an id has 1 to {} bytes", bytes_max));
  if (!simdjson::validate_utf8(id.data(), id.size())) throw Problem(422, place.text(), "an id is UTF-8");
  for (const char c : id)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      throw Problem(422, place.text(), "an id has no control characters");
}

std::span<RankBody> BodyParser::rank(std::string_view body, bool& batch) {
  batch = false;
  if (read_plain_rank(body, limits_, fresh())) {
    check_distinct(bodies_[0].offered.ids);
    return {bodies_.data(), 1};
  }
  const Element root = json_->parse(body);
  batch = root.is_array();
  if (!batch) {
    NativeRank(limits_, Place(), fresh()).read(root, false);
    return {bodies_.data(), 1};
  }
  const Array events = root.get_array();
  if (events.size() == 0 || events.size() > limits_.batch_max)
    throw Problem(422, "", fmt::format("a batch has 1 to {} events", limits_.batch_max));
  if (bodies_.size() < events.size()) bodies_.resize(events.size());
  std::size_t i = 0;
  for (const Element event : events) {
    bodies_[i].clear();
    NativeRank(limits_, Place(Place(), i), bodies_[i]).read(event, false);
    ++i;
  }
  return {bodies_.data(), i};
}

RankBody& BodyParser::slots(std::string_view body) {
  NativeRank(limits_, Place(), fresh()).read(json_->parse(body), true);
  return bodies_[0];
}

RankBody& BodyParser::rank_binary(std::string_view body) {
  std::uint32_t sizes[2] = {0, 0};
  if (body.size() < sizeof sizes)
    throw Problem(400, "", "a binary body begins with two 32-bit numbers: actions, length");
  std::memcpy(sizes, body.data(), sizeof sizes);
  const auto [actions, length] = sizes;
  if (actions == 0 || actions > limits_.actions_max)
    throw Problem(422, "actions", fmt::format("1 to {} actions are needed", limits_.actions_max));
  if (length == 0 || length > limits_.vector_max)
    throw Problem(422, "length", fmt::format("1 to {} numbers are needed, not {}: [limits] vector says how many there may be", limits_.vector_max, length));
  const std::size_t count = std::size_t{actions} * length;
  if (body.size() != sizeof sizes + count * sizeof(float))
    throw Problem(400, "", fmt::format("{} numbers must follow", count));
  RankBody& out = fresh();
  out.offered.form = Form::vectors;
  out.offered.length = length;
  out.offered.vectors.resize(count);
  std::memcpy(out.offered.vectors.data(), body.data() + sizeof sizes, count * sizeof(float));
  for (const float x : out.offered.vectors)
    if (!(std::abs(x) <= largest_number)) throw Problem(422, "vector", "numbers from -1e15 to 1e15 are needed");
  for (std::uint32_t k = 0; k < actions; ++k) out.offered.ids.push_back(std::to_string(k));
  return out;
}

RewardBody BodyParser::reward(std::string_view body) {
  const Object object = object_in(json_->parse(body), "body");
  check_keys(object, {});
  RewardBody out;
  SlotReward reward;
  bool has_value = false;
  for (const auto& [key, value] : object) {
    if (key == "value") {
      reward.value = number_in(value, "value");
      if (!(std::abs(reward.value) <= 1e6)) throw Problem(422, "value", "a reward is within -1e6 .. 1e6: use another unit");
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

}  // namespace neuralts::serve
