// Where the learner stands among those who want a processor: behind everybody, but never without any.
//
// A thread of the system's idle class counts as no work at all: whoever else wakes up gets its processor at once, also where another
// thread of normal class would have to be moved for it. That is right as long as something is left over. Where nothing is, it would
// starve: then a normal thread of low weight, which gets a tenth of what another does, goes on. (No right is needed to go into the idle
// class; to come back from it one is. So it is another thread that goes on.)
#pragma once

#include <cstdint>
#include <functional>

namespace neuralts::serve {

/// What a thread is among others.
enum class Standing { last, low };

/// The next standing of a thread that had a processor for `had_us` of the `wanted_us` that it wanted one.
Standing next_standing(Standing now, std::int64_t had_us, std::int64_t wanted_us);

/// How much of a processor the calling thread got while it worked.
class ShareMeter {
 public:
  /// Around work; what lies between end() and begin() is rest.
  void begin();
  void end();
  /// Where to stand from now on; `now` until enough has been seen.
  Standing next(Standing now) const;

 private:
  std::int64_t begun_us_ = 0, begun_cpu_us_ = 0;
  std::int64_t wanted_us_ = 0, had_us_ = 0;
};

/// Calls `step` until it returns false, one call at a time, on threads named `name` that stand behind all others; returns then.
/// `step` tells the meter when it works and throws nothing. On systems that know no such standing it is the calling thread.
void run_standing_back(const char* name, const std::function<bool(ShareMeter&)>& step);

}  // namespace neuralts::serve
