// Where the learner stands among those who want a processor: behind everybody, but never without any.
//
// A thread of the system's idle class counts as no work at all: whoever else wakes up gets its processor at
// once, also where another thread of normal class would have to be moved for it. That is right as long as
// something is left over. Where nothing is, it would starve: then a normal thread of low weight, which gets a
// tenth of what another does, goes on. (No right is needed to go into the idle class; to come back from it one
// is. So it is another thread that goes on.)
#pragma once

#include <cstdint>
#include <functional>

namespace neuralts::serve {

/// What a thread is among others.
enum class Standing { last, low };

/// How much of a processor the calling thread got while it worked.
class ShareMeter {
 public:
  /// Around work; what lies between end() and begin() is rest.
  void begin();
  void end();
  /// It had a processor for `had_us` of the `wanted_us` that it wanted one.
  void count(std::int64_t had_us, std::int64_t wanted_us);
  /// Where to stand from now on. Whoever had less than a fiftieth of a processor for a second without a break
  /// comes forward: a normal thread among them costs the others far more than it gets. Back goes who had a quarter
  /// and more for two seconds without a break.
  Standing next(Standing now) const;

 private:
  std::int64_t begun_us_ = 0, begun_cpu_us_ = 0;
  std::int64_t wanted_us_ = 0, had_us_ = 0;  // of the period that has begun
  std::int64_t hungry_us_ = 0, plenty_us_ = 0;  // of whole ones with too little, with enough, without a break
};

/// A moment at which whoever else wants the processor may have it; often, between pieces of work of some 100 us. A
/// processor whose only work is of the idle class may still count a thread that has gone to sleep, until it looks
/// again for what to run: as long as that lasts, who wakes up is sent to wait behind the others' work instead of
/// coming here. This makes it look. And a normal thread, of however low a weight, has its processor until the
/// system's next tick, which may be 4 ms away: whoever is waited for would wait for that.
void step_aside();

/// Calls `step` until it returns false, one call at a time, on threads named `name` that stand behind others,
/// at first as `standing` says; returns then. `step` tells the meter when it works and throws nothing. On
/// systems that know no such standing it is the calling thread.
void run_standing_back(const char* name, const std::function<bool(ShareMeter&)>& step,
                       Standing standing = Standing::last);

}  // namespace neuralts::serve
