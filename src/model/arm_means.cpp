#include "model/arm_means.hpp"

#include <algorithm>
#include <cmath>

namespace neuralts {

namespace {

constexpr double gone_at = 0.05;  // share of the rewards' variance

}  // namespace

bool ArmMeans::wild() const {
  constexpr double enough = 9, far = 8;
  return all_.count >= enough && distance(held_) > far * all_.deviation();
}

void ArmMeans::count(std::size_t arm, double reward, double weight) {
  if (!held_any_) first_ = reward;
  const double value = reward - first_;
  if (value >= largest_) largest_again_ = value == largest_ || weight > 1, largest_ = value;
  if (held_any_ && distance(value) <= distance(held_)) return add(arm, value, weight);
  if (held_any_) add(held_arm_, held_, 1);
  held_any_ = true, held_ = value, held_arm_ = arm, held_at_ = all_.count;
  if (weight > 1) add(arm, value, weight - 1);
}

void ArmMeans::add(std::size_t arm, double value, double weight) {
  math::RunningMoments& own = arms_[arm];
  if (own.count == 0) ++played_;
  within_ -= own.squares;
  own.add(value, weight);
  within_ += own.squares;
  all_.add(value, weight);
}

double ArmMeans::variance_within() const {
  if (arms_.size() < 2 || all_.count <= played_ || !(all_.squares > 0)) return 1;
  return std::clamp((within_ / (all_.count - played_)) / all_.variance(), 0.0, 1.0);
}

auto ArmMeans::variances() const -> Variances {
  if (played_ < 2 || all_.count <= played_) return {};
  const double typical = within_ / (all_.count - played_);
  math::RunningMoments means;
  double noisiest = 0, by_chance = 0;
  for (const math::RunningMoments& arm : arms_) {
    if (arm.count == 0) continue;
    means.add(arm.mean);
    by_chance += typical / arm.count;
    noisiest = std::max(noisiest, arm.variance());
  }
  return {.between = std::max(0.0, means.variance() - by_chance / played_), .within = noisiest};
}

double ArmMeans::untold() const {
  constexpr double imagined = 2, steep = 6;
  const double played = rounds(), told_so_far = told() * played / (played + imagined * static_cast<double>(arms_.size()));
  const double out = 1 / (1 + std::pow(2 * told_so_far, steep));
  return std::isfinite(out) ? out : 1;
}

double ArmMeans::faded(double half_way) const {
  const double left = half_way / (half_way + rounds());
  return left * left;
}

double ArmMeans::wonder() const {
  constexpr double full = 190, steep = 0.7, half_way = 50;
  const Variances of = variances();
  if (largest_again_ && of.within > 0) return 0;
  const double out = full * std::sqrt(of.between) * std::pow(told(of), steep) * faded(half_way);
  return std::isfinite(out) ? out : 0;
}

double ArmMeans::wonder_of(std::size_t arm) const {
  constexpr double full = 2, plays = 20;
  const double deviation = all_.deviation(), variance = deviation * deviation;
  if (!(variance > 0) || !std::isfinite(variance)) return 0;
  const math::RunningMoments& own = arms_[arm];
  return full * deviation * std::max(0.0, 1 - own.variance() / (gone_at * variance)) * plays / (plays + own.count);
}

double ArmMeans::widening() const {
  constexpr double full = 10, half_way = 400;
  return full * std::max(0.0, 1 - variance_within() / gone_at) * faded(half_way);
}

void ArmMeans::save(Writer& out) const {
  for (const math::RunningMoments& arm : arms_) arm.save(out);
  all_.save(out);
  for (const double value : {first_, within_, played_, held_, held_at_}) out.value(value);
  out.value<std::uint64_t>(held_arm_);
  out.value<std::uint8_t>(held_any_);
}

void ArmMeans::save_largest(Writer& out) const {
  out.value(largest_);
  out.value<std::uint8_t>(largest_again_);
}

void ArmMeans::load(Reader& in) {
  for (math::RunningMoments& arm : arms_) arm.load(in);
  all_.load(in);
  for (double* value : {&first_, &within_, &played_, &held_, &held_at_}) *value = in.value<double>();
  held_arm_ = in.value<std::uint64_t>();
  held_any_ = in.value<std::uint8_t>() != 0;
  if (held_arm_ >= arms_.size()) in.fail();
}

void ArmMeans::load_largest(Reader& in) {
  const bool told = in.version() >= largest_since;
  largest_ = told ? in.value<double>() : std::numeric_limits<double>::infinity();
  largest_again_ = told && in.value<std::uint8_t>() != 0;
}

}  // namespace neuralts
