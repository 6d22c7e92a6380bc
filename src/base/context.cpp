#include "neuralts/context.hpp"

#include <cmath>
#include <cstdio>
#include <string>

#include "neuralts/error.hpp"
#include "neuralts/limits.hpp"

namespace neuralts {

namespace {

constexpr std::size_t no_arm = static_cast<std::size_t>(-1);

// The message is built only when it is needed: these checks stand on the way of every decision.
[[noreturn]] void refuse(const char* who, std::size_t arm, const std::string& what) {
  throw ContractError(std::string(who) + (arm == no_arm ? "" : " of arm " + std::to_string(arm)) + " " + what);
}

// "is not finite: number 3 is nan"; empty for a number that can be used.
std::string why_not(double value, const std::string& which) {
  if (std::abs(value) <= largest_number) return {};
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  if (!std::isfinite(value)) return "is not finite: " + which + text;
  return "is too large: " + which + text + ", the limit is 1e15: use another unit";
}

// Counted, not branched on: one pass that becomes vector code; NaN fits nowhere.
bool all_usable(std::span<const double> values) {
  std::size_t fit = 0;
  for (const double value : values) fit += static_cast<std::size_t>(std::abs(value) <= largest_number);
  return fit == values.size();
}

void check_values(std::span<const double> values, std::size_t expected, const char* who, std::size_t arm) {
  if (values.size() != expected)
    refuse(who, arm,
           "has " + std::to_string(values.size()) + " numbers, the policy was made for " +
               std::to_string(expected));
  if (all_usable(values)) return;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const auto why = why_not(values[i], "number " + std::to_string(i) + " is "); !why.empty())
      refuse(who, arm, why);
}

void check_block(std::size_t block, const Shape& shape, const char* who, std::size_t arm) {
  if (block >= shape.blocks)
    refuse(who, arm,
           "stands in block " + std::to_string(block) + ", the policy was made for " +
               std::to_string(shape.blocks));
}

}  // namespace

Contexts Contexts::per_arm(std::span<const double> values, std::size_t arms) {
  if (arms == 0) throw ContractError("a round needs at least one arm");
  if (values.size() % arms != 0)
    throw ContractError(std::to_string(values.size()) + " numbers cannot be shared evenly by " +
                        std::to_string(arms) + " arms");
  Contexts contexts;
  contexts.values_ = values;
  contexts.arms_ = arms;
  contexts.length_ = values.size() / arms;
  return contexts;
}

Contexts Contexts::disjoint(std::span<const double> x, std::size_t arms) {
  if (arms == 0) throw ContractError("a round needs at least one arm");
  Contexts contexts;
  contexts.values_ = x;
  contexts.arms_ = arms;
  contexts.length_ = x.size();
  contexts.shared_ = true;
  return contexts;
}

Contexts Contexts::disjoint(std::span<const double> x, std::span<const std::uint32_t> blocks) {
  Contexts contexts = disjoint(x, blocks.size());
  contexts.blocks_ = blocks;
  return contexts;
}

Slice Contexts::operator[](std::size_t arm) const {
  if (!shared_) return {values_.subspan(arm * length_, length_), 0};
  return {values_, blocks_.empty() ? arm : blocks_[arm]};
}

void Contexts::check(const Shape& shape) const {
  if (arms_ == 0) throw ContractError("a round needs at least one arm");
  if (shared_) {
    check_values(values_, shape.length, "the shared context", no_arm);
    for (std::size_t k = 0; k < arms_; ++k) check_block((*this)[k].block, shape, "the context", k);
    return;
  }
  if (length_ == shape.length && all_usable(values_)) return;
  for (std::size_t k = 0; k < arms_; ++k) check_values((*this)[k].values, shape.length, "the context", k);
}

void check_reward(double reward) {
  if (const auto why = why_not(reward, ""); !why.empty()) throw ContractError("a reward " + why);
}

void check_slice(const Slice& context, const Shape& shape) {
  check_values(context.values, shape.length, "the context", no_arm);
  check_block(context.block, shape, "the context", no_arm);
}

}  // namespace neuralts
