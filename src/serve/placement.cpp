#include "serve/placement.hpp"

#include <algorithm>

#ifdef __linux__
#include <sched.h>
#endif

namespace neuralts::serve {

#ifdef __linux__

namespace {

std::vector<int> usable() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return {};
  std::vector<int> processors;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(processor, &set)) processors.push_back(processor);
  return processors;
}

void stay_on(const int* begin, const int* end) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int* processor = begin; processor != end; ++processor) CPU_SET(*processor, &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

}  // namespace

Placement::Placement(std::size_t doors) : doors_(std::max<std::size_t>(1, doors)), processors_(usable()) {}

void Placement::only(std::size_t processor) const {
  const int* const at = processors_.data() + processor;
  stay_on(at, at + 1);
}

void Placement::anywhere() const {
  if (!processors_.empty()) stay_on(processors_.data(), processors_.data() + processors_.size());
}

#else

Placement::Placement(std::size_t doors) : doors_(std::max<std::size_t>(1, doors)) {}
void Placement::only(std::size_t) const {}
void Placement::anywhere() const {}

#endif

bool Placement::stay(bool on_its_own, std::size_t place) const {
  on_its_own ? only(exchanges() % 2 == 0 ? place : doors_ - place) : anywhere();
  return on_its_own;
}

bool Placement::exchange() const {
  if (doors_ != 1 || processors_.size() != 2) return false;
  exchanges_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool Placement::door(std::size_t number) const { return stay(few(), number); }
bool Placement::committer() const { return stay(processors_.size() == doors_ + 1, doors_); }

}  // namespace neuralts::serve
