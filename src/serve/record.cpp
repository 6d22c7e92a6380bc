#include "serve/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "base/checksum.hpp"
#include "serve/bytes.hpp"

namespace neuralts::serve {

namespace {

constexpr std::uint8_t format_version = 2;

/// What is wrong with a record, if anything.
std::optional<std::string> problem_of(const EventRecord& record) {
  const std::size_t actions = record.ids.size();
  if (actions == 0 || record.probabilities.size() != actions) return "a probability for each action is needed";
  if (record.chosen >= actions || record.preferred >= actions || record.baseline >= actions)
    return "an index beyond the actions";
  const auto& excluded = record.excluded;
  if (std::adjacent_find(excluded.begin(), excluded.end(), std::greater_equal<>()) != excluded.end() ||
      excluded.size() >= actions || (!excluded.empty() && excluded.back() >= actions))
    return "excluded actions that are not some of the actions, in order";
  double sum = 0;
  for (const float p : record.probabilities) {
    if (!(p >= 0 && p <= 1)) return fmt::format("a probability of {}", p);
    sum += p;
  }
  if (std::abs(sum - 1) > 1e-4) return fmt::format("probabilities that sum to {}", sum);
  const std::size_t rows = record.chosen_only ? 1 : actions;
  if (record.form > Form::objects) return "a form that there is not";
  if (record.form == Form::vectors && (record.length == 0 || record.vectors.size() != rows * record.length))
    return "vectors of the wrong size";
  for (const float x : record.vectors)
    if (!std::isfinite(x)) return fmt::format("a number that is not finite: {}", x);
  if (!std::isfinite(record.predicted) || !std::isfinite(record.width)) return "a prediction that is not finite";
  if (record.slots == 0 || (!record.slot_ids.empty() && record.slot_ids.size() != record.slots))
    return "slots that disagree";
  return std::nullopt;
}

void put_numbers(std::string& out, const std::vector<float>& values) {
  put_count(out, values.size());
  out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

void put_texts(std::string& out, const std::vector<std::string>& texts) {
  put_count(out, texts.size());
  for (const auto& text : texts) put_text(out, text);
}

std::string sealed(std::string body) {
  put(body, checksum(body));
  return body;
}

std::vector<float> numbers_in(Cursor& in) {
  const std::string_view bytes = in.take(in.size() * sizeof(float));
  std::vector<float> values(bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::vector<std::string> texts_in(Cursor& in) {
  std::vector<std::string> values(in.size());
  for (auto& value : values) value = in.text();
  return values;
}

std::vector<std::uint32_t> indices_in(Cursor& in) {
  std::vector<std::uint32_t> values(in.size());
  for (auto& value : values) value = in.index();
  return values;
}

Cursor opened(std::string_view bytes) {
  if (bytes.size() < 5) Cursor::damaged();
  const auto body = bytes.substr(0, bytes.size() - 4);
  std::uint32_t sum = 0;
  std::memcpy(&sum, bytes.data() + body.size(), sizeof sum);
  if (sum != checksum(body)) Cursor::damaged();
  if (static_cast<std::uint8_t>(body[0]) != format_version) Cursor::damaged();
  return Cursor(body.substr(1));
}

}  // namespace

std::string encode(const EventRecord& record) {
  if (const auto problem = problem_of(record)) throw ContractError("event record: " + *problem);
  std::string out;
  out.reserve(64 + record.vectors.size() * 4 + record.objects.size() + record.ids.size() * 16);
  put(out, format_version);
  put_count(out, record.revision);
  put_count(out, record.model);
  put(out, record.seed);
  put(out, static_cast<std::uint8_t>((record.deferred ? 1 : 0) | (record.shadow ? 2 : 0) |
                                     (record.chosen_only ? 4 : 0) | (record.estimated ? 8 : 0)));
  for (const std::uint32_t n : {record.chosen, record.preferred, record.baseline, record.slots}) put_count(out, n);
  put(out, record.predicted);
  put(out, record.width);
  put(out, record.kept);
  put_texts(out, record.ids);
  put_numbers(out, record.probabilities);
  put_count(out, record.excluded.size());
  for (const std::uint32_t k : record.excluded) put_count(out, k);
  put_texts(out, record.slot_ids);
  put(out, record.form);
  put_count(out, record.length);
  put_numbers(out, record.vectors);
  put_text(out, record.objects);
  return sealed(std::move(out));
}

std::uint32_t revision_of(std::string_view event_bytes) {
  Cursor in(event_bytes);
  if (in.get<std::uint8_t>() != format_version) Cursor::damaged();
  return in.index();
}

EventRecord decode_event(std::string_view bytes) {
  Cursor in = opened(bytes);
  EventRecord record;
  record.revision = in.index();
  record.model = in.count();
  record.seed = in.get<std::uint64_t>();
  const auto flags = in.get<std::uint8_t>();
  record.deferred = (flags & 1) != 0;
  record.shadow = (flags & 2) != 0;
  record.chosen_only = (flags & 4) != 0;
  record.estimated = (flags & 8) != 0;
  for (std::uint32_t* n : {&record.chosen, &record.preferred, &record.baseline, &record.slots}) *n = in.index();
  record.predicted = in.get<float>();
  record.width = in.get<float>();
  record.kept = in.get<float>();
  record.ids = texts_in(in);
  record.probabilities = numbers_in(in);
  record.excluded = indices_in(in);
  record.slot_ids = texts_in(in);
  record.form = in.get<Form>();
  record.length = in.index();
  record.vectors = numbers_in(in);
  record.objects = in.text();
  if (!in.at_end() || problem_of(record)) Cursor::damaged();
  return record;
}

std::string encode(const RewardRecord& record) {
  if (!std::isfinite(record.value)) throw ContractError(fmt::format("reward record: a value of {}", record.value));
  std::string out;
  put(out, format_version);
  put(out, record.value);
  return sealed(std::move(out));
}

RewardRecord decode_reward(std::string_view bytes) {
  Cursor in = opened(bytes);
  RewardRecord record{in.get<double>()};
  if (!in.at_end() || !std::isfinite(record.value)) Cursor::damaged();
  return record;
}

}  // namespace neuralts::serve
