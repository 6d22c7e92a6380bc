#include "evaluate/constant_target.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/whole_number.hpp"
#include "neuralts/error.hpp"

namespace neuralts::evaluation {

ConstantTarget::ConstantTarget(std::string arm) : arm_(std::move(arm)) {
  number_ = parse_whole<std::size_t>(arm_).value_or(nowhere);
}

void ConstantTarget::probabilities(const Event& event, std::size_t, std::span<double> out) {
  const std::size_t at = find(event);
  const bool absent = at >= out.size();
  std::fill(out.begin(), out.end(), absent ? 1 / static_cast<double>(out.size()) : 0.0);
  if (!absent) out[at] = 1;
  ++asked_, absent_ += absent;
  if (absent) remember_names(event);
}

std::size_t ConstantTarget::find(const Event& event) const {
  const auto named = std::find(event.actions.begin(), event.actions.end(), arm_);
  if (named != event.actions.end()) return static_cast<std::size_t>(named - event.actions.begin());
  // Where ids are numbers themselves, a number is one of them.
  const bool numbered = std::any_of(event.actions.begin(), event.actions.end(),
                                    [](const std::string& name) { return parse_whole<std::size_t>(name).has_value(); });
  if (numbered) return nowhere;
  const auto& blocks = event.offer.blocks;
  if (number_ == nowhere || blocks.empty()) return number_;
  return static_cast<std::size_t>(std::find(blocks.begin(), blocks.end(), number_) - blocks.begin());
}

void ConstantTarget::remember_names(const Event& event) {
  constexpr std::size_t most = 20;
  for (const auto& name : event.actions)
    if (names_.size() < most && std::find(names_.begin(), names_.end(), name) == names_.end())
      names_.push_back(name);
}

std::vector<std::string> ConstantTarget::doubts() const {
  if (absent_ == 0) return {};
  if (absent_ == asked_)
    throw Error(ErrorCode::bad_spec, "constant:" + arm_, "no event of the log offers this action",
                names_.empty() ? "the log's actions have no names: give an arm's number, from 0"
                               : suggest(arm_, names_));
  return {fmt::format("action {} was not on offer in {:.1f} % of the events: an even choice stands for it there",
                      shown(arm_), 100 * static_cast<double>(absent_) / static_cast<double>(asked_))};
}

}  // namespace neuralts::evaluation
