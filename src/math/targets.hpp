// Which instruction sets the inner loops are built for; include before anything of Highway.
// One binary holds them all: x86-64 baseline, SSE4, AVX2, AVX-512 on x86; NEON on arm64.
#pragma once

// SSSE3 and AVX3_DL add nothing to floating point; SVE's sizeless vectors cannot stand in the arrays the
// kernels use.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)

#include <hwy/detect_targets.h>
