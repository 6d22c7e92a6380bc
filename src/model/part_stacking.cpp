#include "model/part_stacking.hpp"

namespace neuralts {

void PartStacking::Part::count(const Numbers& forecasts, const Numbers& together, double came) {
  const double one = came - Stacking::said(together, forecasts), own = came - Stacking::said(own_, forecasts);
  gain_ = Stacking::keep * gain_ + one * one - own * own;
  regression_.count(forecasts, came);
}

void PartStacking::count(const Numbers& common, const Numbers& apart, const Numbers& together, double reward) {
  const Weights believed = weights(together);
  const double of_common = Stacking::said(believed.common, common), of_apart = Stacking::said(believed.apart, apart);
  common_.count(common, together, reward - of_apart);
  apart_.count(apart, together, reward - of_common);
}

void PartStacking::save(Writer& out) const {
  for (const Part* part : {&common_, &apart_}) part->regression_.save(out);
  for (const Part* part : {&common_, &apart_}) out.value(part->gain_);
}

void PartStacking::load(Reader& in) {
  for (Part* part : {&common_, &apart_}) part->regression_.load(in);
  for (Part* part : {&common_, &apart_}) part->gain_ = in.value<double>();
  if (in.version() >= each_since) return;
  apart_.gain_ = common_.gain_;  // one for both, and behind it two sums that nobody asks for any more
  in.value<double>();
}

}  // namespace neuralts
