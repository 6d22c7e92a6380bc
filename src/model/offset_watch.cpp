#include "model/offset_watch.hpp"

#include <cmath>
#include <new>

#include <fmt/format.h>


namespace neuralts {

namespace {

constexpr double enough_rounds = 20;
constexpr double far = 20;  // standard deviations: rewards of 0 and 1 lie as far only where one in 400 is a 0

/// |mean| in standard deviations; 0 where too little is known or nothing differs.
double offset(const math::RunningMoments& seen) {
  const double deviation = seen.deviation();
  return seen.count < enough_rounds || !(deviation > 0) ? 0 : std::abs(seen.mean) / deviation;
}

std::string told(const math::RunningMoments& seen) {
  return fmt::format("around {:.4g}, {:.2g} times what they differ by", seen.mean, offset(seen));
}

}  // namespace

void OffsetWatch::see(std::span<const Finished> rounds) noexcept {
  try {
    columns_.resize(length_);
  } catch (const std::bad_alloc&) {
    return;  // a note less
  }
  for (const Finished& round : rounds) {
    rewards_.add(round.reward);
    for (std::size_t j = 0; j < columns_.size(); ++j) columns_[j].add(round.context.values[j]);
  }
}

std::vector<std::string> OffsetWatch::notes() const {
  std::vector<std::string> notes;
  if (offset(rewards_) > far)
    notes.push_back("rewards lie " + told(rewards_) +
                    ": raw, the offset is taken for signal: set rewards=standardised (preset tuned does), or "
                    "subtract a typical reward");
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    if (!(offset(columns_[j]) > far)) continue;
    notes.push_back("the numbers of column " + std::to_string(j) + " lie " + told(columns_[j]) +
                    ": raw, they outweigh what differs: set inputs=standardised (preset tuned does), or subtract a typical value");
    break;
  }
  return notes;
}

}  // namespace neuralts
