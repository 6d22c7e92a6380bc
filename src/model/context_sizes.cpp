#include "model/context_sizes.hpp"

#include <algorithm>
#include <span>

namespace neuralts {

void ContextSizes::meet(double size) { last_[met_++ % most] = size; }

double ContextSizes::smaller_than(double size) const {
  constexpr double rounding = 1e-4;
  const double below = size * (1 - rounding), above = size * (1 + rounding);
  const auto met = std::span(last_).first(std::min<std::size_t>(met_, most));
  double smaller = 1;  // of few contexts none is known to be small
  for (const double one : met) smaller += one < below ? 1 : one <= above ? 0.5 : 0;
  return smaller / static_cast<double>(met.size() + 1);
}

void ContextSizes::save(Writer& out) const {
  out.value(met_);
  for (const double size : last_) out.value(size);
}

void ContextSizes::load(Reader& in) {
  met_ = in.value<std::uint64_t>();
  for (double& size : last_) size = in.value<double>();
}

}  // namespace neuralts
