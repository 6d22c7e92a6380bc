#include "model/offset_watch.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>


namespace neuralts {

namespace {

constexpr double enough_rounds = 20;
constexpr double far = 20;  // standard deviations: rewards of 0 and 1 lie as far only where one in 400 is a 0

}  // namespace

void OffsetWatch::Spread::add(double value) {
  ++count;
  const double difference = value - mean;
  mean += difference / count;
  squares += difference * (value - mean);
}

double OffsetWatch::Spread::offset() const {
  const double deviation = std::sqrt(squares / std::max(1.0, count));
  return count < enough_rounds || !(deviation > 0) ? 0 : std::abs(mean) / deviation;
}

std::string OffsetWatch::Spread::told() const {
  return fmt::format("around {:.4g}, {:.2g} times what they differ by", mean, offset());
}

void OffsetWatch::see(std::span<const Finished> rounds) noexcept {
  for (const Finished& round : rounds) {
    rewards_.add(round.reward);
    for (std::size_t j = 0; j < columns_.size(); ++j) columns_[j].add(round.context.values[j]);
  }
}

std::vector<std::string> OffsetWatch::notes() const {
  std::vector<std::string> notes;
  if (rewards_.offset() > far)
    notes.push_back("rewards lie " + rewards_.told() + ": this policy knows no intercept and takes the offset for signal: subtract a typical "
                    "reward, or use neural-ts, which standardises");
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    if (!(columns_[j].offset() > far)) continue;
    notes.push_back("the numbers of column " + std::to_string(j) + " lie " + columns_[j].told() + ": this policy does not scale contexts: subtract "
                    "a typical value and divide by the spread, or use neural-ts, which does");
    break;
  }
  return notes;
}

}  // namespace neuralts
