// Runs a test with every instruction set that this processor has and the inner loops were built for.
#pragma once

#include <gtest/gtest.h>

#include "math/targets.hpp"

#include <hwy/targets.h>

namespace neuralts::math {

template <class F>
void with_every_target(F&& body) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace neuralts::math
