// Lines height + slope t, seen on an interval of t: which of them can lead there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace neuralts::math {

/// The line that is highest at t; the first of several.
std::size_t highest_at(std::span<const double> height, std::span<const double> slope, double t);

/// Indices, in order, of the lines that reach level[i] at t[i] for some i, into `kept`; returns how many.
/// With t the corners and ends of a convex function made of straight pieces, all others lie below it
/// everywhere between the ends.
std::size_t lines_reaching(std::span<const double> height, std::span<const double> slope,
                           std::span<const double> t, std::span<const double> level,
                           std::span<std::uint32_t> kept);

}  // namespace neuralts::math
