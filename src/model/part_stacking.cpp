#include "model/part_stacking.hpp"

#include <algorithm>
#include <cmath>

namespace neuralts {

namespace {
constexpr double evident_gain = 4;  // in variances of the noise: then they are heard by half
constexpr double early_rounds = 10, least_noise = 0.005;
}  // namespace

void PartStacking::count(const Numbers& common, const Numbers& apart, double together, double reward) {
  const double of_common = Stacking::said(now_.common, common), of_apart = Stacking::said(now_.apart, apart),
               one = reward - together, two = reward - of_common - of_apart;
  gain_ = Stacking::keep * gain_ + one * one - two * two;
  missed_ = Stacking::keep * missed_ + std::min(one * one, two * two);
  rounds_ = Stacking::keep * rounds_ + 1;
  common_.count(common, reward - of_apart);
  apart_.count(apart, reward - of_common);
}

void PartStacking::believe() { now_ = {common_.mixture().weights(), apart_.mixture().weights()}; }

void PartStacking::rescale(double factor, double shift) {
  common_.rescale(factor, shift);
  apart_.rescale(factor, 0);
  gain_ *= factor * factor, missed_ *= factor * factor;
}

auto PartStacking::weights(const Numbers& together) const -> Weights {
  const double noise = std::max(least_noise, (missed_ + early_rounds) / (rounds_ + early_rounds)),
               part = Stacking::evident(gain_, noise * evident_gain);
  return {Stacking::mixed(now_.common, together, part), Stacking::mixed(now_.apart, together, part)};
}

void PartStacking::save(Writer& out) const {
  common_.save(out);
  apart_.save(out);
  for (const double sum : {gain_, missed_, rounds_}) out.value(sum);
}

void PartStacking::load(Reader& in) {
  common_.load(in);
  apart_.load(in);
  for (double* sum : {&gain_, &missed_, &rounds_}) *sum = in.value<double>();
}

}  // namespace neuralts
