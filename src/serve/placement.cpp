#include "serve/placement.hpp"

#include <algorithm>
#include <span>

#include "serve/processors.hpp"

namespace neuralts::serve {

Placement::Placement(std::size_t doors) : doors_(std::max<std::size_t>(1, doors)), processors_(usable_processors()) {}

void Placement::anywhere() const { stay_on(processors_); }

bool Placement::stay(bool on_its_own, std::size_t place) const {
  if (!on_its_own) {
    anywhere();
    return false;
  }
  stay_on(std::span(processors_).subspan(exchanges() % 2 == 0 ? place : doors_ - place, 1));
  return true;
}

bool Placement::exchange() const {
  if (doors_ != 1 || processors_.size() != 2) return false;
  exchanges_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool Placement::door(std::size_t number) const { return stay(few(), number); }
bool Placement::committer() const { return stay(processors_.size() == doors_ + 1, doors_); }

}  // namespace neuralts::serve
