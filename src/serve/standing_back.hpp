// Where the learner stands among those who want a processor: behind everybody, but never without any.
//
// A thread of the system's idle class counts as no work at all: whoever else wakes up gets its processor at once, also where another
// thread of normal class has to be moved for it. That is right as long as something is left over. Where nothing is, it would starve:
// then it becomes a normal thread of low weight, which gets a tenth of what another does.
#pragma once

#include <cstdint>

namespace neuralts::serve {

/// What a thread is among others.
enum class Standing { last, low };

/// The next standing of a thread that had a processor for `had_us` of the `wanted_us` that it wanted one.
Standing next_standing(Standing now, std::int64_t had_us, std::int64_t wanted_us);

/// Of the thread that makes it, and alone calls it. Where the system does not let a thread come back from its idle class
/// (it asks for RLIMIT_NICE or CAP_SYS_NICE) the thread is of low weight all the time; on other systems it is nothing at all.
class StandingBack {
 public:
  StandingBack();
  Standing standing() const { return standing_; }
  /// Around work; what lies between end() and begin() is rest.
  void begin();
  void end();

 private:
  void stand(Standing standing);

  Standing standing_ = Standing::low;
  bool may_return_ = false;
  std::int64_t begun_us_ = 0, begun_cpu_us_ = 0;
  std::int64_t wanted_us_ = 0, had_us_ = 0;
};

}  // namespace neuralts::serve
