#include "lab/delay.hpp"

#include <cmath>

#include "base/text.hpp"

namespace neuralts {

namespace {

constexpr double longest = 1e9;

[[noreturn]] void refuse(const std::string& text) {
  throw Error(ErrorCode::bad_spec, "delay", "'" + text + "' is not a delay",
              "write 0, 100, uniform:10..100, exponential:50, each with ,lost=0.1 behind it if some never arrive");
}

double number_in(const std::string& text, std::string_view part, double min, double max) {
  const auto value = parse_number(part);
  if (!value || !(*value >= min && *value <= max)) refuse(text);
  return *value;
}

double whole_number_in(const std::string& text, std::string_view part) {
  const double value = number_in(text, part, 0, longest);
  if (value != std::floor(value)) refuse(text);
  return value;
}

void parse_when(const std::string& text, std::string_view part, Delay& delay) {
  constexpr std::string_view uniform = "uniform:", exponential = "exponential:";
  if (part.starts_with(uniform)) {
    const std::size_t dots = part.find("..");
    if (dots == std::string_view::npos) refuse(text);
    delay.kind = Delay::Kind::uniform;
    delay.a = whole_number_in(text, part.substr(uniform.size(), dots - uniform.size()));
    delay.b = whole_number_in(text, part.substr(dots + 2));
    if (delay.a > delay.b) refuse(text);
  } else if (part.starts_with(exponential)) {
    delay.kind = Delay::Kind::exponential;
    delay.a = number_in(text, part.substr(exponential.size()), 0, longest);
  } else if (const double batch = whole_number_in(text, part); batch > 0) {
    delay.kind = Delay::Kind::batch;
    delay.a = batch;
  }
}

// The round at whose end a reward played in `round` arrives.
std::size_t arrival(const Delay& delay, std::size_t round, Stream& stream) {
  switch (delay.kind) {
    case Delay::Kind::none:
      return round;
    case Delay::Kind::batch: {
      const auto batch = static_cast<std::size_t>(delay.a);
      return (round + batch - 1) / batch * batch;
    }
    case Delay::Kind::uniform:
      return round + static_cast<std::size_t>(delay.a) +
             stream.below(static_cast<std::uint64_t>(delay.b - delay.a) + 1);
    case Delay::Kind::exponential:
      return round + static_cast<std::size_t>(-delay.a * std::log1p(-stream.uniform()));
  }
  return round;
}

}  // namespace

Delay parse_delay(const std::string& text) {
  constexpr std::string_view lost = "lost=";
  Delay delay;
  if (text.empty()) return delay;
  const auto parts = split(text, ',');
  const bool only_lost = parts.front().starts_with(lost);
  if (parts.size() > (only_lost ? 1u : 2u)) refuse(text);
  if (!only_lost) parse_when(text, parts.front(), delay);
  if (!only_lost && parts.size() == 1) return delay;
  if (!parts.back().starts_with(lost)) refuse(text);
  delay.lost = number_in(text, std::string_view(parts.back()).substr(lost.size()), 0, 1);
  return delay;
}

std::string to_string(const Delay& delay) {
  std::string text = "0";
  if (delay.kind == Delay::Kind::batch) text = format_number(delay.a);
  if (delay.kind == Delay::Kind::uniform)
    text = "uniform:" + format_number(delay.a) + ".." + format_number(delay.b);
  if (delay.kind == Delay::Kind::exponential) text = "exponential:" + format_number(delay.a);
  return delay.lost > 0 ? text + ",lost=" + format_number(delay.lost) : text;
}

void DelayQueue::push(std::size_t round, const Slice& context, double reward) {
  Stream stream(seed_, Purpose::delay, round);
  if (delay_.lost > 0 && stream.uniform() < delay_.lost) return;
  due_[arrival(delay_, round, stream)].push_back(
      {{context.values.begin(), context.values.end()}, context.block, reward});
}

std::span<const Finished> DelayQueue::arrive(std::size_t round) {
  finished_.clear();
  const auto due = due_.find(round);
  if (due == due_.end()) return {};
  arrived_ = std::move(due->second);
  due_.erase(due);
  for (const auto& pending : arrived_) finished_.push_back({{pending.values, pending.block}, pending.reward});
  return finished_;
}

}  // namespace neuralts
